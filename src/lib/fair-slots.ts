type Waiter = { share: string; go: () => void }

type FairSlotsOptions = {
  /** Slots of all shares together. */
  total: number
  perShare: number
  /** Waiters per share, and of all shares together; further ones are refused immediately. */
  waitersPerShare: number
  mostWaiting?: number
  /** The longest wait in milliseconds. */
  waitMs: number
  /** Returns the error for a caller of a share that waited too long, or has too many waiters. */
  refusal: (share: string) => Error
}

/**
 * Slots that several shares (users, organizations) compete for. A free slot goes to the waiting
 * share that holds the fewest, so a share with many waiters does not delay the others.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions
  readonly #held = new Map<string, number>()
  readonly #waiting: Waiter[] = []
  #taken = 0

  constructor(options: FairSlotsOptions) {
    this.#options = options
  }

  /**
   * Waits for a slot and returns a function that releases it. Throws the refusal of the options,
   * and the reason of `gone` when that is aborted.
   */
  async take(share: string, gone?: AbortSignal): Promise<() => void> {
    gone?.throwIfAborted()
    if (this.#hasRoom(share)) this.#hold(share)
    else await this.#wait(share, gone)
    let released = false

    return () => {
      if (released) return
      released = true
      this.#release(share)
    }
  }

  /** Runs work once there is a slot for it. Throws what `take` throws. */
  async run<Result>(
    share: string,
    work: () => Promise<Result>,
    gone?: AbortSignal,
  ): Promise<Result> {
    const release = await this.take(share, gone)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** The number of held slots and of waiters. */
  get load(): { held: number; waiting: number } {
    return { held: this.#taken, waiting: this.#waiting.length }
  }

  #heldBy(share: string): number {
    return this.#held.get(share) ?? 0
  }

  #hasRoom(share: string): boolean {
    return this.#taken < this.#options.total && this.#heldBy(share) < this.#options.perShare
  }

  #hold(share: string): void {
    this.#taken++
    this.#held.set(share, this.#heldBy(share) + 1)
  }

  #release(share: string): void {
    this.#taken--
    const held = this.#heldBy(share) - 1
    if (held > 0) this.#held.set(share, held)
    else this.#held.delete(share)
    this.#grant()
  }

  #grant(): void {
    let next: Waiter | undefined
    for (const waiter of this.#waiting)
      if (
        this.#hasRoom(waiter.share) &&
        (!next || this.#heldBy(waiter.share) < this.#heldBy(next.share))
      )
        next = waiter

    if (!next) return
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#hold(next.share)
    next.go()
  }

  #wait(share: string, gone: AbortSignal | undefined): Promise<void> {
    const {
      waitersPerShare,
      mostWaiting = Number.POSITIVE_INFINITY,
      waitMs,
      refusal,
    } = this.#options
    const own = this.#waiting.filter(waiter => waiter.share === share).length
    if (own >= waitersPerShare || this.#waiting.length >= mostWaiting)
      return Promise.reject(refusal(share))

    return new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        settle()
        reject(reason)
      }
      const abort = () => leave(gone?.reason)
      const timer = setTimeout(() => leave(refusal(share)), waitMs).unref()
      const settle = () => {
        clearTimeout(timer)
        gone?.removeEventListener('abort', abort)
      }

      const waiter: Waiter = {
        share,
        go: () => {
          settle()
          resolve()
        },
      }

      gone?.addEventListener('abort', abort, { once: true })
      this.#waiting.push(waiter)
    })
  }
}
