import { spawn } from 'node:child_process'
import type { EventEmitter } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { GitError } from '../values/errors.ts'
import { launcher } from './launcher.ts'
import { signalGroup } from './signal-group.ts'

/**
 * A git process: the part of Node's ChildProcess that is used. `pid` is missing until the event
 * 'spawn'.
 */
export type GitChild = EventEmitter & {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly pid?: number | undefined
  readonly exitCode: number | null
  readonly signalCode: NodeJS.Signals | null
  ref: () => void
  unref: () => void
}

/** A file that a program writes to instead of a pipe. */
export type OutputFile = {
  path: string
  fd: number
  /** Removes the name of the file once the program has it. */
  forget: () => unknown
}

/**
 * Starts a program in a process group of its own, so that git-remote-https and index-pack end with
 * it. The launcher starts it where one runs. With `output`, stdout is that file, and the stream is
 * empty. Throws GitError 'busy' when no more files can be opened.
 */
export function startChild(
  argv: readonly string[],
  env: Record<string, string>,
  output?: OutputFile,
): GitChild {
  const child = launcher()?.start(argv, env, output?.path) ?? spawnChild(argv, env, output)
  if (output) for (const event of ['spawn', 'close']) child.once(event, () => output.forget())
  return child
}

function spawnChild(
  argv: readonly string[],
  env: Record<string, string>,
  output: OutputFile | undefined,
): GitChild {
  const [program = 'git', ...args] = argv
  const child = spawn(program, args, {
    cwd: '/',
    env,
    shell: false,
    detached: true,
    stdio: ['pipe', output?.fd ?? 'pipe', 'pipe'],
  })

  // When no more files can be opened, Node returns a child without pipes, whatever its type says,
  // and emits an error later.
  if (child.stdin && child.stderr)
    return Object.assign(child, {
      stdin: child.stdin,
      stdout: child.stdout ?? Readable.from([]),
      stderr: child.stderr,
    })

  child.on('error', () => {})
  throw new GitError('busy', 'The server has too many files open. Try again in a moment.')
}

/** Sets whether Node waits for this child: an idle long-lived one must not keep a program alive. */
export function keepAlive(child: GitChild, alive: boolean): void {
  // Pipes of children are sockets, which have `ref` and `unref`; their declared types do not say
  // so.
  for (const each of [child, child.stdin, child.stdout, child.stderr] as {
    ref: () => void
    unref: () => void
  }[])
    if (alive) each.ref()
    else each.unref()
}

/**
 * Ends a child and its descendants: SIGTERM lets git remove its lock files, SIGKILL follows after
 * five seconds.
 */
export function endGroup(child: GitChild): void {
  if (child.exitCode !== null || child.signalCode !== null) return

  if (child.pid === undefined) {
    child.once('spawn', () => endGroup(child))
    return
  }

  signalGroup(child.pid, 'SIGTERM')
  const timer = setTimeout(() => child.pid !== undefined && signalGroup(child.pid, 'SIGKILL'), 5000)

  timer.unref()
  child.once('close', () => clearTimeout(timer))
}
