import { Worker, type WorkerOptions } from 'node:worker_threads'
import { threadFile } from './thread-file.ts'

/** Files of `threads/` that run in a thread of their own. */
type ThreadName = 'convert-import' | 'parse-openapi' | 'postgres' | 'verify-saml'

/**
 * The time in milliseconds that a thread may take, and the megabytes that its JavaScript heap may
 * use.
 */
type ThreadLimits = { ms: number; megabytes: number; signal?: AbortSignal | undefined }

/**
 * Why a thread produced no result: it took too long, exceeded its memory, was cancelled, or
 * crashed.
 */
export class ThreadError extends Error {
  readonly why: 'timeout' | 'memory' | 'aborted' | 'broken'
  constructor(why: ThreadError['why'], message: string) {
    super(message)
    this.why = why
  }
}

/** Starts a file of `threads/` in a thread that goes on until its caller ends it. */
export function startThread(name: ThreadName, options: WorkerOptions): Worker {
  const { url, isTypeScript } = threadFile(name)
  if (!isTypeScript) return new Worker(url, options)
  // The TypeScript loader must be registered before the file is loaded.
  const text = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url.href)}) })`
  return new Worker(text, { ...options, eval: true })
}

/**
 * Runs a file of `threads/` with `input` and returns the first message that it posts; the thread is
 * then terminated, which frees its memory. For work that would block the event loop or might never
 * end. Throws ThreadError.
 */
export async function runThread<Output>(
  name: ThreadName,
  input: unknown,
  { ms, megabytes, signal }: ThreadLimits,
): Promise<Output> {
  if (signal?.aborted) throw new ThreadError('aborted', 'was cancelled')
  const resourceLimits = { maxOldGenerationSizeMb: megabytes }
  const worker = startThread(name, { workerData: input, resourceLimits, stdin: false })
  let timer: NodeJS.Timeout | undefined
  let abort = () => {}

  try {
    return await new Promise<Output>((resolve, reject) => {
      const fail = (why: ThreadError['why'], message: string) =>
        reject(new ThreadError(why, message))
      timer = setTimeout(() => fail('timeout', `took more than ${ms / 1000} s`), ms)
      abort = () => fail('aborted', 'was cancelled')
      signal?.addEventListener('abort', abort, { once: true })
      worker.once('message', resolve)
      worker.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? fail('memory', `held more than ${megabytes} MB`)
          : fail('broken', error.message),
      )
      worker.once('exit', code => fail('broken', `exited with ${code} without a result`))
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    await worker.terminate()
  }
}
