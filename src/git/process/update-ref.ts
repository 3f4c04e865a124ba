import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GitError, refError } from '../values/errors.ts'
import { endGroup, type GitChild, keepAlive } from './child.ts'
import { spawnGit } from './run.ts'

/**
 * A process, and packed-refs as it was when the process started, kept open. Git considers
 * packed-refs unchanged when its inode, size and second are those it has read, and a replacement
 * can match within a second; while the old file is open, no other file gets its inode.
 */
type Running = { child: GitChild; packed: number | undefined }

/**
 * One `git update-ref -z --stdin` process of a repository: one transaction at a time. A refused
 * transaction ends the process (that is how Git works); the next one starts another.
 */
export class UpdateRef {
  readonly #dir: string
  readonly #limitMs: number
  #running: Running | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(dir: string, limitMs: number) {
    this.#dir = dir
    this.#limitMs = limitMs
  }

  /** The number of transactions that run or wait. */
  get pending(): number {
    return this.#waiting
  }

  /**
   * Runs `start`, these commands (in -z format), `prepare` and `commit`. Throws the error of
   * `refError` for a refusal, or GitError 'failed' when the process ended and its progress is
   * unknown.
   */
  async transact(commands: string): Promise<void> {
    this.#waiting++
    const before = this.#last
    const turn = before.then(() => this.#run(`start\0${commands}prepare\0commit\0`))
    this.#last = turn.catch(() => {})

    try {
      await turn
    } finally {
      this.#waiting--
    }
  }

  /** Ends the process; Git drops a transaction that is not prepared when its input ends. */
  close(): void {
    this.#running?.child.stdin.end()
    this.#running = undefined
  }

  #run(script: string): Promise<void> {
    if (this.#running && isReplaced(this.#dir, this.#running.packed)) this.close()
    this.#running ??= this.#start()
    const { child } = this.#running

    return new Promise((resolve, reject) => {
      let out = ''
      let err = ''
      const onOut = (chunk: Buffer) => {
        out += chunk
        if (out.includes('commit: ok\n')) settle(resolve)
      }
      const onErr = (chunk: Buffer) => {
        err += chunk
      }
      let tooLong = false
      const onClose = () => {
        if (this.#running?.child === child) this.#running = undefined
        if (tooLong) settle(() => reject(new GitError('timeout', 'Moving a branch took too long.')))
        else
          settle(() =>
            reject(
              err ? refError(err) : new GitError('failed', 'Git ended during the ref transaction.'),
            ),
          )
      }

      // The outcome is only certain once the process has ended, so the answer waits for that.
      const timer = setTimeout(() => {
        tooLong = true
        endGroup(child)
      }, this.#limitMs)

      const settle = (finish: () => void) => {
        clearTimeout(timer)
        child.stdout.off('data', onOut)
        child.stderr.off('data', onErr)
        child.off('close', onClose)
        keepAlive(child, false)
        finish()
      }

      child.stdout.on('data', onOut)
      child.stderr.on('data', onErr)
      child.once('close', onClose)
      keepAlive(child, true)
      child.stdin.write(script)
    })
  }

  #start(): Running {
    const packed = openPacked(this.#dir)
    let child: GitChild
    try {
      child = spawnGit(this.#dir, ['update-ref', '--no-deref', '-z', '--stdin'])
    } catch (error) {
      if (packed !== undefined) closeSync(packed)
      throw error
    }

    child.stdin.on('error', () => {}) // reported by the close event
    child.on('error', () => {}) // likewise: a child that fails to start closes at once
    child.on('exit', () => {
      if (this.#running?.child === child && this.#waiting === 0) this.#running = undefined
    })
    child.once('close', () => packed !== undefined && closeSync(packed))

    return { child, packed }
  }
}

function openPacked(dir: string): number | undefined {
  try {
    return openSync(join(dir, 'packed-refs'), 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

/**
 * Returns whether packed-refs is no longer the file that is open as `packed` (undefined: it did not
 * exist).
 */
function isReplaced(dir: string, packed: number | undefined): boolean {
  const now = statSync(join(dir, 'packed-refs'), { bigint: true, throwIfNoEntry: false })
  return now?.ino !== (packed === undefined ? undefined : fstatSync(packed, { bigint: true }).ino)
}
