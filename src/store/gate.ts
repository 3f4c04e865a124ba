/** What each request waits for where other nodes write the same rows. */
export class Gate {
  readonly #look: () => Promise<number>
  #current: Promise<void> | undefined
  #next: Promise<void> | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  /** Whether the last look failed: the database does not answer. */
  hasFailed = false
  /** The number of looks since the start. */
  looks = 0
  /** The number of requests and jobs that wait for a look. */
  waiting = 0
  /** How far the clock of the database was ahead of that of this machine, in milliseconds. */
  clockLeadMs = 0

  /**
   * `look` notes what other nodes have changed, and resolves to the time of the database, in
   * milliseconds since 1970.
   */
  constructor(look: () => Promise<number>) {
    this.#look = look
  }

  /** The milliseconds since the last look was answered. */
  get ageMs(): number {
    return performance.now() - this.#lookedAt
  }

  /**
   * Resolves when this process knows all that other nodes have committed before this call. One look
   * serves all calls that wait for it; none waits for a look that began before it, which may have
   * missed what the call must see. Rejects with a DatabaseError when the database does not answer.
   */
  async pass(): Promise<void> {
    this.waiting++
    try {
      await (this.#next ?? (this.#current ? this.#after(this.#current) : this.#start()))
    } finally {
      this.waiting--
    }
  }

  #after(current: Promise<void>): Promise<void> {
    const start = () => this.#start()
    this.#next = current.then(start, start)
    return this.#next
  }

  #start(): Promise<void> {
    this.#next = undefined
    const current = this.#run().finally(() => {
      if (this.#current === current) this.#current = undefined
    })
    this.#current = current
    return current
  }

  async #run(): Promise<void> {
    this.looks++
    const began = Date.now()
    try {
      const time = await this.#look()
      this.#lookedAt = performance.now()
      // The database told its time between the two. An estimate that may be right stays: a look may
      // wait for long, and the time must not go to and fro.
      const [least, most] = [time - Date.now(), time - began]
      this.clockLeadMs = Math.min(most, Math.max(least, this.clockLeadMs))
      this.hasFailed = false
    } catch (error) {
      this.hasFailed = true
      throw error
    }
  }
}
