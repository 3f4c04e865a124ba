import { freeBytes } from '../../lib/free-bytes.ts'
import { GitError } from '../values/errors.ts'
import { Spool } from './spool.ts'

type SpoolsOptions = {
  /** Bytes that finished answers without readers may hold together. Default 512 MB. */
  keptBytes?: number
  /** Milliseconds that a finished answer is kept after its last reader. Default five minutes. */
  keptMs?: number
  /**
   * Maximum bytes of all answers together, running ones included. A single answer may exceed it.
   * Default: a quarter of the disk space that would be free without the answers, but at least
   * `keptBytes`.
   */
  allBytes?: number
}

/** Writes an answer. Returns whether it may be kept for others. */
type Fill = (spool: Spool, signal: AbortSignal) => Promise<boolean>

/** One reader of an answer. */
type SpoolReader = {
  /** Whether the answer was there before. */
  readonly shared: boolean
  read: () => AsyncGenerator<Buffer, void, undefined>
  /** Must be called. The work of an answer without readers is aborted. */
  leave: () => void
}

type Entry = {
  key: string | undefined
  spool: Spool
  readers: number
  stop: AbortController
  keep: boolean
}

/**
 * Answers to fetches. Slow clients do not hold up the work that writes a spool. The same request
 * meanwhile, or soon after, reads the same spool.
 */
export class Spools {
  readonly #keptBytes: number
  readonly #keptMs: number
  readonly #allBytes: number | undefined
  readonly #byKey = new Map<string, Entry>()
  readonly #all = new Set<Entry>()
  readonly #timers = new Map<Entry, NodeJS.Timeout>()
  #closed = false

  constructor({ keptBytes = 512 * 1024 ** 2, keptMs = 300_000, allBytes }: SpoolsOptions = {}) {
    this.#keptBytes = keptBytes
    this.#keptMs = keptMs
    this.#allBytes = allBytes
  }

  /** The number of answers that are written, read or kept, and their bytes. */
  get load(): { answers: number; bytes: number } {
    let bytes = 0
    for (const { spool } of this.#all) bytes += spool.bytes
    return { answers: this.#all.size, bytes }
  }

  /**
   * Throws GitError 'busy' if the answers have reached their limit, so that no other one can begin.
   */
  checkRoom(folder: string): void {
    this.#checkShare(folder)
  }

  /**
   * Returns a reader of the answer with this key, and starts `fill` if there is no such answer. An
   * answer without a key is not shared. Large answers are written to `folder`. Throws GitError
   * 'busy' like `checkRoom`; the reader throws it if the growing answer would exceed the limit.
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
    this.#checkShare(folder)
    const stop = new AbortController()
    const checkShare = () => this.#checkShare(folder, entry)
    const spool: Spool = new Spool(folder, () => stop.abort(), checkShare)
    const entry: Entry = { key, spool, readers: 0, stop, keep: false }

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
    this.#dropOldest(bytes - this.#keptBytes)
  }

  /**
   * Drops kept answers, those unused the longest first, until `bytes` are freed. Returns the number
   * of bytes freed.
   */
  #dropOldest(bytes: number): number {
    let dropped = 0
    for (const oldest of [...this.#timers.keys()]) {
      if (dropped >= bytes) break
      dropped += oldest.spool.bytes
      void this.#drop(oldest)
    }
    return dropped
  }

  /**
   * Throws GitError 'busy' if the other answers reach the limit. Drops kept answers first. The
   * total exceeds the limit by at most one growing answer, so that a space larger than the limit
   * can be cloned.
   */
  #checkShare(folder: string, own?: Entry): void {
    const { bytes } = this.load
    const others = bytes - (own?.spool.bytes ?? 0)
    const fixed = this.#allBytes ?? this.#keptBytes
    if (others < fixed) return
    const most = this.#allBytes ?? Math.max(this.#keptBytes, (freeBytes(folder) + bytes) / 4)
    const beyond = others - most
    if (beyond >= 0 && this.#dropOldest(beyond + 1) <= beyond)
      throw new GitError('busy', 'The answers to fetches have reached their limit of disk space.')
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
    if (entry.key !== undefined && this.#byKey.get(entry.key) === entry)
      this.#byKey.delete(entry.key)
  }
}
