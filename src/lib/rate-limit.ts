/** Above this many keys, those with their full allowance are dropped. */
const sweepFrom = 10_000
/** The most keys held; beyond that the oldest are dropped and start with a full allowance. */
const mostKeys = 200_000

/**
 * Limits how often something happens per key: a burst of `most`, refilled at `most` per `windowMs`.
 * Stores one number per key (the generic cell rate algorithm) in memory: a restart resets it.
 */
export class RateLimit {
  /** Per key: when its full allowance is restored, in milliseconds of `now`. */
  readonly #fullAt = new Map<string, number>()
  readonly #windowMs: number
  /** The part of an allowance that an event takes, in milliseconds of the window. */
  readonly costMs: number
  readonly #now: () => number
  #sweepAt = sweepFrom

  constructor(most: number, windowMs: number, now: () => number = () => performance.now()) {
    this.#windowMs = windowMs
    this.costMs = windowMs / most
    this.#now = now
  }

  /**
   * Counts one event for a key and returns 0. Over the limit, it counts nothing and returns the
   * milliseconds to wait.
   */
  take(key: string): number {
    const now = this.#now()
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? 0) + this.costMs
    const wait = fullAt - now - this.#windowMs
    // Tolerates rounding of fractions.
    if (wait > 1e-6) return wait
    this.#fullAt.set(key, fullAt)
    if (this.#fullAt.size > this.#sweepAt) this.#sweep(now)
    return 0
  }

  /**
   * Returns the allowance of a key: how many events, how many of them are left now, and the
   * milliseconds until it is full again.
   */
  left(key: string): { most: number; left: number; fullInMs: number } {
    const fullInMs = Math.max(0, (this.#fullAt.get(key) ?? 0) - this.#now())
    const left = Math.floor((this.#windowMs - fullInMs) / this.costMs + 1e-6)
    return { most: Math.round(this.#windowMs / this.costMs), left: Math.max(0, left), fullInMs }
  }

  /** Records that the full allowance of a key is restored in `fullInMs` at the earliest. */
  raise(key: string, fullInMs: number): void {
    const fullAt = this.#now() + fullInMs
    if (fullAt > (this.#fullAt.get(key) ?? 0)) this.#fullAt.set(key, fullAt)
  }

  /** The number of keys held. */
  get size(): number {
    return this.#fullAt.size
  }

  #sweep(now: number): void {
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key)
    for (const key of this.#fullAt.keys()) {
      if (this.#fullAt.size <= mostKeys) break
      this.#fullAt.delete(key)
    }
    this.#sweepAt = Math.max(sweepFrom, Math.min(this.#fullAt.size * 2, mostKeys))
  }
}
