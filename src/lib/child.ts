import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { threadFile } from './thread-file.ts'

/** What is done in a process of its own: files of `threads/` that run native code. */
export type ChildName = 'print-pdf'

/** How long a process may take, in milliseconds, and how many megabytes it may hold; the folder that it works in. */
export type ChildLimits = { ms: number; megabytes: number; folder: string; signal: AbortSignal }

/** What is answered to a line that the process said; undefined for its last one. */
export type Reply = (line: string) => Promise<string> | undefined

/** Why a process gave nothing: it took too long, was told to stop, was ended for what it holds, or broke. */
export class ChildError extends Error {
  readonly why: 'timeout' | 'aborted' | 'memory' | 'broken'
  constructor(why: ChildError['why'], message: string) {
    super(message)
    this.why = why
  }
}

const running = new Set<ChildProcess>()
let watching = false

/** The most that is kept of what a process says beside that. */
const mostComplaint = 64 * 1024
/** A longer line is none of ours. */
const mostLine = 16 * 1024 * 1024

/**
 * Runs a file of `threads/` with Node in a process of its own, and gives the last line that it said; those before are
 * questions, which `reply` answers. Native code in a thread could not be stopped, and when it breaks it takes the whole
 * process along. It begins with an empty environment, in `folder`, behind everybody else who wants the processor. Throws
 * ChildError, and what `reply` throws.
 */
export async function runChild(
  name: ChildName,
  { ms, megabytes, folder, signal }: ChildLimits,
  reply: Reply,
): Promise<string> {
  if (signal.aborted) throw new ChildError('aborted', 'was told to stop')
  const [program = process.execPath, ...args] = [...limiter(megabytes, ms), process.execPath, ...codeOf(name)]
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', HOME: folder, TMPDIR: folder, LC_ALL: 'C.UTF-8', TZ: 'UTC', ...nowhere },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // Where no more files can be opened Node gives a child without pipes, whatever its type says, and an error event later.
  child.on('error', () => {})
  if (!(child.stdin as unknown)) throw new ChildError('broken', 'no more files can be opened')
  endWithUs(child)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    child.kill('SIGKILL')
  }, ms)
  const abort = () => child.kill('SIGKILL')
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await new Promise<string>((resolve, reject) => {
      const fail = (why: ChildError['why'], message: string) => reject(new ChildError(why, message))
      let [complaint, last] = ['', '']
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        complaint = (complaint + text).slice(-mostComplaint)
      })
      hear(child, line => {
        last = line
        reply(line)?.then(
          answer => child.stdin.write(`${answer}\n`),
          error => {
            reject(error)
            child.kill('SIGKILL')
          },
        )
      })
      // It has ended before it was answered: what is to be said of that, its end says.
      child.stdin.on('error', () => {})
      child.once('error', error => fail('broken', error.message))
      child.once('close', (code, killed) => {
        if (signal.aborted) fail('aborted', 'was told to stop')
        else if (timedOut) fail('timeout', `took more than ${ms / 1000} s`)
        else if (code === 0) resolve(last)
        else {
          const why = killed !== null || lacksMemory.test(complaint) ? 'memory' : 'broken'
          fail(why, `ended with ${killed ?? code}: ${complaint.slice(-2000)}`)
        }
      })
      if (child.pid !== undefined) stepBack(child.pid)
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    running.delete(child)
  }
}

/** What gets no memory says so, or is ended by a signal, be it the system's or its own. */
const lacksMemory = /out of memory|allocation failed/i

/** Hands on what a process says, line by line. */
function hear(child: ChildProcessWithoutNullStreams, take: (line: string) => void): void {
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.length > mostLine) child.kill('SIGKILL')
    const lines = said.split('\n')
    said = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
}

/** Whatever in there might want to talk to somebody: nobody listens. */
const nowhere = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'all_proxy']
    .flatMap(name => [name, name.toUpperCase()])
    .map(name => [name, 'http://127.0.0.1:1']),
)

function codeOf(name: ChildName): string[] {
  const { url, isTypeScript } = threadFile(name)
  const file = fileURLToPath(url)
  return isTypeScript ? ['--import', import.meta.resolve('tsx'), file] : [file]
}

/** Bounds that hold for native code as well, where util-linux is there to set them: else it is the time alone. */
function limiter(megabytes: number, ms: number): string[] {
  const program = ['/usr/bin/prlimit', '/bin/prlimit'].find(existsSync)
  if (!program) return []
  // Several threads use up the processor's seconds together.
  const seconds = Math.ceil(ms / 1000) * 4
  return [program, `--data=${megabytes * 1024 * 1024}`, `--cpu=${seconds}`, '--core=0', '--']
}

function stepBack(pid: number): void {
  try {
    setPriority(pid, 10)
  } catch {
    // It has ended already.
  }
}

/** None is left behind when we end, and none keeps us from it. */
function endWithUs(child: ChildProcess): void {
  running.add(child)
  if (watching) return
  watching = true
  process.once('exit', () => {
    for (const each of running) each.kill('SIGKILL')
  })
}
