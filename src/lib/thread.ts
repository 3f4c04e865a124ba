import { Worker } from 'node:worker_threads'
import { threadFile } from './thread-file.ts'

/** What can be done in a thread of its own: the files of `threads/`. */
export type ThreadName = 'parse-openapi'

/** How long a thread may take, in milliseconds, and how many megabytes its JavaScript may hold. */
export type ThreadLimits = { ms: number; megabytes: number; signal?: AbortSignal | undefined }

/** Why a thread gave nothing: it took too long, held too much, was told to stop, or broke. */
export class ThreadError extends Error {
  readonly why: 'timeout' | 'memory' | 'aborted' | 'broken'
  constructor(why: ThreadError['why'], message: string) {
    super(message)
    this.why = why
  }
}

const start = (name: ThreadName, input: unknown, megabytes: number): Worker => {
  const resourceLimits = { maxOldGenerationSizeMb: megabytes }
  const options = { workerData: input, resourceLimits, stdin: false }
  const { url, isTypeScript } = threadFile(name)
  if (!isTypeScript) return new Worker(url, options)
  // What reads TypeScript has to be there before the file is looked at.
  const text = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url.href)}) })`
  return new Worker(text, { ...options, eval: true })
}

/**
 * Runs one of `threads/` with `input` and gives the first message that it posts; the thread is ended then, so all that
 * it held is free again. For work that would hold up everybody else, and that may run away. Throws ThreadError.
 */
export async function runThread<Output>(
  name: ThreadName,
  input: unknown,
  { ms, megabytes, signal }: ThreadLimits,
): Promise<Output> {
  if (signal?.aborted) throw new ThreadError('aborted', 'was told to stop')
  const worker = start(name, input, megabytes)
  let timer: NodeJS.Timeout | undefined
  let abort = () => {}
  try {
    return await new Promise<Output>((resolve, reject) => {
      const fail = (why: ThreadError['why'], message: string) => reject(new ThreadError(why, message))
      timer = setTimeout(() => fail('timeout', `took more than ${ms / 1000} s`), ms)
      abort = () => fail('aborted', 'was told to stop')
      signal?.addEventListener('abort', abort, { once: true })
      worker.once('message', resolve)
      worker.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? fail('memory', `held more than ${megabytes} MB`)
          : fail('broken', error.message),
      )
      worker.once('exit', code => fail('broken', `ended with ${code} and said nothing`))
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    await worker.terminate()
  }
}
