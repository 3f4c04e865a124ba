import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { threadFile } from './thread-file.ts'

/** Files of `threads/` that run native code and need a process of their own. */
type ChildName = 'print-pdf' | 'resize-image' | 'draw-image'

/**
 * The time in milliseconds and memory in megabytes that a process may use, and the folder it works
 * in.
 */
type ChildLimits = { ms: number; megabytes: number; folder: string; signal: AbortSignal }

/** Returns the reply to a line of the process's output; undefined for its last line. */
type Reply = (line: string) => Promise<string> | undefined

/**
 * Why a process produced no result: it took too long, was cancelled, exceeded its memory, or
 * crashed.
 */
export class ChildError extends Error {
  readonly why: 'timeout' | 'aborted' | 'memory' | 'broken'
  constructor(why: ChildError['why'], message: string) {
    super(message)
    this.why = why
  }
}

const running = new Set<ChildProcess>()
let watching = false

/** The most stderr that is kept. */
const mostComplaint = 64 * 1024
/** A longer line cannot come from our own code. */
const mostLine = 16 * 1024 * 1024

/**
 * Runs a file of `threads/` with Node in a separate process and returns the last line of its
 * output; earlier lines are questions, which `reply` answers. A separate process is needed because
 * native code in a thread cannot be stopped and a crash there would end the whole server. It starts
 * in `folder` with an empty environment and low CPU priority. Throws ChildError, and the errors of
 * `reply`.
 */
export async function runChild(
  name: ChildName,
  { ms, megabytes, folder, signal }: ChildLimits,
  reply: Reply,
): Promise<string> {
  if (signal.aborted) throw new ChildError('aborted', 'was cancelled')

  const child = startNode(name, { ms, megabytes, folder })
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

      // The process ended before it was answered; its exit is reported below.
      child.stdin.on('error', () => {})
      child.once('error', error => fail('broken', error.message))
      child.once('close', (code, killed) => {
        if (signal.aborted) fail('aborted', 'was cancelled')
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

function startNode(
  name: ChildName,
  { ms, megabytes, folder }: Omit<ChildLimits, 'signal'>,
): ChildProcessWithoutNullStreams {
  const [program = process.execPath, ...args] = [
    ...limiter(megabytes, ms),
    process.execPath,
    ...codeOf(name),
  ]

  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: folder,
      TMPDIR: folder,
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      ...nowhere,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })

  // Without free file descriptors Node returns a child without pipes and emits an error later.
  child.on('error', () => {})
  if (!(child.stdin as unknown)) throw new ChildError('broken', 'no more files can be opened')
  endWithUs(child)

  return child
}

/** A process without memory reports it, or is killed by a signal from the system or from itself. */
const lacksMemory = /out of memory|allocation failed/i

/** Calls `take` with each line of the process's output. */
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

/** Proxy settings that block any connection the process might attempt. */
const nowhere = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'all_proxy']
    .flatMap(name => [name, name.toUpperCase()])
    .map(name => [name, 'http://127.0.0.1:1']),
)

function codeOf(name: ChildName): string[] {
  const { url, execArgv } = threadFile(name)
  return [...execArgv, fileURLToPath(url)]
}

/**
 * Returns a command prefix with limits that also apply to native code. Without util-linux only time
 * is limited.
 */
function limiter(megabytes: number, ms: number): string[] {
  const program = ['/usr/bin/prlimit', '/bin/prlimit'].find(existsSync)
  if (!program) return []
  // CPU seconds of all threads add up.
  const seconds = Math.ceil(ms / 1000) * 4
  return [program, `--data=${megabytes * 1024 * 1024}`, `--cpu=${seconds}`, '--core=0', '--']
}

function stepBack(pid: number): void {
  try {
    setPriority(pid, 10)
  } catch {
    // It has already ended.
  }
}

/** Kills the child when this process exits; children never keep it running. */
function endWithUs(child: ChildProcess): void {
  running.add(child)
  if (watching) return
  watching = true
  process.once('exit', () => {
    for (const each of running) each.kill('SIGKILL')
  })
}
