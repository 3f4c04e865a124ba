import type { Writable } from 'node:stream'
import { GitError, isGitError } from '../values/errors.ts'
import { endGroup, type GitChild, type OutputFile, startChild } from './child.ts'
import { type EnvironmentOptions, gitEnvironment } from './environment.ts'
import { type SlotKind, takeSlot } from './slots.ts'

/** The oldest supported Git: it introduced `merge-tree --write-tree`. */
const minimumGit = [2, 38] as const

export type RunOptions = EnvironmentOptions & {
  /**
   * The input of the command. Without it stdin is closed at once. An error of a stream ends the
   * command, and is thrown.
   */
  input?: Uint8Array | string | AsyncIterable<Uint8Array>
  /** Bytes of stdout after which the command is killed with 'too_large'. Default 64 MiB. */
  maxStdout?: number
  /**
   * Milliseconds of wall-clock time after which the command is killed with 'timeout'. Default
   * 60,000.
   */
  timeoutMs?: number
  /** Ends the command. Throws the signal's reason when that is a GitError, otherwise 'aborted'. */
  signal?: AbortSignal
  /** The pool whose slot the command takes. Default 'local'. */
  slots?: SlotKind
  /** A program with arguments that starts git, e.g. prlimit. */
  wrapper?: readonly string[]
  /** A file that stdout is written to; the limit on it does not hold. */
  output?: OutputFile
  /** Called with each chunk of stderr: progress. */
  onStderr?: (text: string) => void
}

/** A repository to run git on. `prepare` is awaited before. */
type RepositoryFolder = { readonly dir: string; readonly prepare?: () => Promise<void> }

export type RunResult = { code: number; stdout: Buffer; stderr: string }

/** Stderr beyond this is dropped: it is only used to classify errors. */
const maxStderr = 64 * 1024

/**
 * Runs git to its end and returns its output, whatever the exit code. The arguments must be ours,
 * never a user's. Throws GitError 'timeout', 'too_large', 'aborted', 'busy', or 'failed' when it
 * cannot be started or is killed.
 */
export async function runGit(
  repo: RepositoryFolder | null,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const chunks: Buffer[] = []
  const run = await start(repo, args, options)
  run.child.stdout.on('data', (chunk: Buffer) => {
    if (run.count(chunk.length)) chunks.push(chunk)
  })
  const { code, stderr } = await run.end
  return { code, stdout: Buffer.concat(chunks), stderr }
}

/**
 * Runs git and yields its output in chunks; leaving the loop early ends the command. After the last
 * chunk, a nonzero exit code throws the error that `failure` returns.
 */
export async function* streamGit(
  repo: RepositoryFolder | null,
  args: readonly string[],
  options: RunOptions,
  failure: (code: number, stderr: string) => Error,
): AsyncGenerator<Buffer, void, undefined> {
  const run = await start(repo, args, options)
  let finished = false
  try {
    for await (const chunk of run.child.stdout as AsyncIterable<Buffer>)
      if (run.count(chunk.length)) yield chunk
    finished = true
  } finally {
    if (!finished) run.stop()
  }

  const { code, stderr } = await run.end
  if (code !== 0) throw failure(code, stderr)
}

/**
 * Starts a long-lived git process for the pool of processes. It takes no slot. Throws GitError
 * 'busy' when no more files can be opened.
 */
export const spawnGit = (dir: string, args: readonly string[]): GitChild =>
  startChild(['git', `--git-dir=${dir}`, ...args], gitEnvironment())

/**
 * Returns the version of the installed Git. Throws GitError 'unsupported_git' when it is older than
 * `minimumGit`.
 */
export async function checkGitVersion(): Promise<string> {
  const { stdout } = await runGit(null, ['version'])
  const [, version = 'unknown', major, minor] =
    /(([0-9]+)\.([0-9]+)\S*)/.exec(stdout.toString()) ?? []
  const [wantedMajor, wantedMinor] = minimumGit
  const enough =
    Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor)

  if (!enough)
    throw new GitError(
      'unsupported_git',
      `Git ${minimumGit.join('.')} or newer is required, found ${version}.`,
    )

  return version
}

type Run = {
  child: GitChild
  /** Adds bytes of stdout; returns false once the limit is exceeded. */
  count: (bytes: number) => boolean
  stop: () => void
  /** Ends the command, whose `end` then throws the error. */
  fail: (error: unknown) => void
  end: Promise<{ code: number; stderr: string }>
}

async function start(
  repo: RepositoryFolder | null,
  args: readonly string[],
  options: RunOptions,
): Promise<Run> {
  if (options.signal?.aborted) throw aborted(options.signal)
  const release = await takeSlot(options.slots ?? 'local')
  if (options.signal?.aborted) {
    release()
    throw aborted(options.signal)
  }

  await repo?.prepare?.().catch(error => {
    release()
    throw error
  })

  const argv = [
    ...(options.wrapper ?? []),
    'git',
    ...(repo ? [`--git-dir=${repo.dir}`] : []),
    ...args,
  ]
  let child: GitChild

  try {
    child = startChild(argv, gitEnvironment(options), options.output)
  } catch (error) {
    release()
    if (error instanceof GitError) throw error
    throw new GitError('failed', 'Git could not be started.', {}, String(error))
  }

  const watched = watch(child, args[0] ?? 'git', options, release)

  child.stdin.on('error', () => {}) // git may close stdin early: its exit code tells why
  const { input = '' } = options
  if (typeof input === 'string' || input instanceof Uint8Array) child.stdin.end(input)
  else void send(input, child.stdin, watched.fail)

  return watched
}

/** Writes a stream to the input of a command, as fast as the command reads. */
async function send(
  input: AsyncIterable<Uint8Array>,
  to: Writable,
  fail: (error: unknown) => void,
): Promise<void> {
  const closed = new Promise<void>(resolve => to.once('close', resolve))
  try {
    for await (const chunk of input) {
      if (to.destroyed) return
      if (!to.write(chunk))
        await Promise.race([new Promise<void>(resolve => to.once('drain', resolve)), closed])
    }
    to.end()
  } catch (error) {
    fail(error)
  }
}

function watch(child: GitChild, command: string, options: RunOptions, release: () => void): Run {
  let broken: unknown
  const fail = (error: unknown) => {
    broken ??= error
    endGroup(child)
  }
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    const text = chunk.toString()
    if (stderr.length < maxStderr) stderr += text
    options.onStderr?.(text)
  })
  const tooLong = () => fail(new GitError('timeout', 'Git took too long.', { command }))
  const timer = setTimeout(tooLong, options.timeoutMs ?? 60_000)
  const abort = () => fail(aborted(options.signal))

  options.signal?.addEventListener('abort', abort, { once: true })
  if (options.signal?.aborted) abort()
  child.on('error', error => {
    broken ??= new GitError('failed', 'Git could not be started.', {}, String(error))
  })
  const end = new Promise<{ code: number; stderr: string }>((resolve, reject) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', abort)
      release()
      if (broken) reject(broken)
      else if (code !== null) resolve({ code, stderr })
      else
        reject(new GitError('failed', 'Git was killed by a signal.', { signal, command }, stderr))
    })
  })

  end.catch(() => {}) // a caller that leaves a stream early does not await it
  let bytes = 0
  const count = (more: number) => {
    bytes += more
    if (bytes <= (options.maxStdout ?? 64 * 1024 * 1024)) return true
    fail(new GitError('too_large', 'The output of Git exceeds the limit.', { command }))
    return false
  }

  return { child, count, end, fail, stop: () => endGroup(child) }
}

const aborted = (signal?: AbortSignal): GitError =>
  isGitError(signal?.reason) ? signal.reason : new GitError('aborted', 'The work was cancelled.')
