/** With so many keys the ones that are back at their full allowance are dropped. */
const sweepFrom = 10_000
/** The most keys held; beyond, the oldest ones go, whose owners start afresh. */
const mostKeys = 200_000

/**
 * Limits how often something happens per key: `most` times at once, and then as fast as `most` in `windowMs` refills.
 * Keeps one number per key (the generic cell rate algorithm), in memory: a restart forgets all.
 */
export class RateLimit {
  /** Per key: when its whole allowance is back, in milliseconds of `now`. */
  readonly #fullAt = new Map<string, number>()
  readonly #windowMs: number
  readonly #cost: number
  readonly #now: () => number
  #sweepAt = sweepFrom

  constructor(most: number, windowMs: number, now: () => number = () => performance.now()) {
    this.#windowMs = windowMs
    this.#cost = windowMs / most
    this.#now = now
  }

  /** Counts one more for a key. Returns 0, or, when it is over its limit and nothing was counted, the milliseconds to wait. */
  take(key: string): number {
    const now = this.#now()
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? 0) + this.#cost
    const wait = fullAt - now - this.#windowMs
    // Sums of fractions are a little off.
    if (wait > 1e-6) return wait
    this.#fullAt.set(key, fullAt)
    if (this.#fullAt.size > this.#sweepAt) this.#sweep(now)
    return 0
  }

  /** How many keys are held. */
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
