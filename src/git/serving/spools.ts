import { GitError } from '../values/errors.ts'
import { Spool } from './spool.ts'

export type SpoolsOptions = {
  /** Bytes that finished answers without readers may hold together. Default 512 MB. */
  keptBytes?: number
  /** Milliseconds that a finished answer is kept after its last reader. Default five minutes. */
  keptMs?: number
}

/** Writes an answer. Returns whether it may be kept for others. */
export type Fill = (spool: Spool, signal: AbortSignal) => Promise<boolean>

/** One reader of an answer. */
export type SpoolReader = {
  /** Whether the answer was there before: no process was started. */
  readonly shared: boolean
  read: () => AsyncGenerator<Buffer, void, undefined>
  /** Must be called. The work of an answer without readers is aborted. */
  leave: () => void
}

type Entry = { key: string | undefined; spool: Spool; readers: number; stop: AbortController; keep: boolean }

/**
 * Answers to fetches. A process writes into a spool and ends, however slowly clients read; who asks for the same
 * meanwhile, or soon after, reads the same spool.
 */
export class Spools {
  readonly #keptBytes: number
  readonly #keptMs: number
  readonly #byKey = new Map<string, Entry>()
  readonly #all = new Set<Entry>()
  readonly #timers = new Map<Entry, NodeJS.Timeout>()
  #closed = false

  constructor({ keptBytes = 512 * 1024 ** 2, keptMs = 300_000 }: SpoolsOptions = {}) {
    this.#keptBytes = keptBytes
    this.#keptMs = keptMs
  }

  /** The number of answers that are written, read or kept, and their bytes. */
  get load(): { answers: number; bytes: number } {
    let bytes = 0
    for (const { spool } of this.#all) bytes += spool.bytes
    return { answers: this.#all.size, bytes }
  }

  /**
   * Returns a reader of the answer with this key, which `fill` writes unless it is there; without a key it has one reader. `folder` is where large answers are put.
   */
  open(folder: string, key: string | undefined, fill: Fill): SpoolReader {
    if (this.#closed) throw new GitError('aborted', 'The server is stopping.')
    const known = key === undefined ? undefined : this.#byKey.get(key)
    const entry = known ?? this.#start(folder, key, fill)
    entry.readers++
    clearTimeout(this.#timers.get(entry))
    this.#timers.delete(entry)
    let left = false
    const leave = () => {
      if (left) return
      left = true
      entry.readers--
      this.#settle(entry)
    }
    return { shared: known !== undefined, read: () => entry.spool.read(), leave }
  }

  /** Aborts all work and removes all answers. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#all].map(entry => this.#drop(entry)))
  }

  #start(folder: string, key: string | undefined, fill: Fill): Entry {
    const stop = new AbortController()
    const entry = { key, spool: new Spool(folder, () => stop.abort()), readers: 0, stop, keep: false }
    this.#all.add(entry)
    if (key !== undefined) this.#byKey.set(key, entry)
    void this.#fill(entry, fill)
    return entry
  }

  async #fill(entry: Entry, fill: Fill): Promise<void> {
    try {
      const mayKeep = await fill(entry.spool, entry.stop.signal)
      entry.keep = mayKeep && entry.key !== undefined
      entry.spool.end()
    } catch (error) {
      entry.spool.end(error)
    }
    if (!entry.keep) this.#forget(entry)
    this.#settle(entry)
  }

  /** Keeps, aborts or drops an answer without readers. */
  #settle(entry: Entry): void {
    if (entry.readers > 0 || !this.#all.has(entry)) return
    if (!entry.spool.ended || !entry.keep) {
      void this.#drop(entry)
      return
    }
    clearTimeout(this.#timers.get(entry))
    const timer = setTimeout(() => void this.#drop(entry), this.#keptMs)
    timer.unref()
    // A Map keeps insertion order: the first one was left first.
    this.#timers.delete(entry)
    this.#timers.set(entry, timer)
    let bytes = 0
    for (const kept of this.#timers.keys()) bytes += kept.spool.bytes
    for (const oldest of [...this.#timers.keys()]) {
      if (bytes <= this.#keptBytes) break
      bytes -= oldest.spool.bytes
      void this.#drop(oldest)
    }
  }

  #drop(entry: Entry): Promise<void> {
    this.#forget(entry)
    this.#all.delete(entry)
    clearTimeout(this.#timers.get(entry))
    this.#timers.delete(entry)
    entry.stop.abort()
    return entry.spool.close()
  }

  #forget(entry: Entry): void {
    if (entry.key !== undefined && this.#byKey.get(entry.key) === entry) this.#byKey.delete(entry.key)
  }
}
