import { GitError, refError } from './errors.ts'
import { endGroup, type GitChild, keepAlive, spawnGit } from './run.ts'

/**
 * One `git update-ref -z --stdin` process of a repository: one transaction at a time. A refused transaction
 * ends the process (that is Git's way); the next one starts another.
 */
export class UpdateRef {
  readonly #dir: string
  readonly #limitMs: number
  #child: GitChild | undefined
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
    this.#child?.stdin.end()
    this.#child = undefined
  }

  #run(script: string): Promise<void> {
    const child = this.#child ?? this.#start()
    this.#child = child
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
        this.#child = undefined
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

  #start(): GitChild {
    const child = spawnGit(this.#dir, ['update-ref', '--no-deref', '-z', '--stdin'])
    child.stdin.on('error', () => {}) // the close event tells
    child.on('error', () => {}) // likewise: a child that cannot be started closes at once
    child.on('exit', () => {
      if (this.#child === child && this.#waiting === 0) this.#child = undefined
    })
    return child
  }
}
