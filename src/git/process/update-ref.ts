import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GitError, refError } from '../values/errors.ts'
import { endGroup, type GitChild, keepAlive, spawnGit } from './run.ts'

/**
 * A process, and packed-refs as it was when the process started, kept open. Git takes the file with the inode, the size
 * and the second of the one it has read for that very one, and such a file can follow within a second; while the first is
 * open, no other gets its inode.
 */
type Running = { child: GitChild; packed: number | undefined }

/**
 * One `git update-ref -z --stdin` process of a repository: one transaction at a time. A refused transaction
 * ends the process (that is Git's way); the next one starts another.
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

  /** How many transactions run or wait. */
  get pending(): number {
    return this.#waiting
  }

  /**
   * Runs `start`, these commands (in the -z format), `prepare` and `commit`. Throws what `refError` tells of
   * a refusal, or GitError 'failed' when the process went away and nobody knows how far it came.
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

  /** Ends the process; a transaction that is not prepared yet is dropped by Git at the end of its input. */
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
          settle(() => reject(err ? refError(err) : new GitError('failed', 'The ref transaction broke off.')))
      }
      // What it did is only certain once the process is gone, so the answer waits for that.
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
    child.stdin.on('error', () => {}) // the close event tells
    child.on('error', () => {}) // likewise: a child that cannot be started closes at once
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

/** Whether packed-refs is another file than this open one (undefined: it was not there). */
function isReplaced(dir: string, packed: number | undefined): boolean {
  const now = statSync(join(dir, 'packed-refs'), { bigint: true, throwIfNoEntry: false })
  return now?.ino !== (packed === undefined ? undefined : fstatSync(packed, { bigint: true }).ino)
}
