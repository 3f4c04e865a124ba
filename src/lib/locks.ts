/** Runs work one at a time per name, in order of arrival. Within one process: the data folder has one server. */
export class Locks {
  readonly #tails = new Map<string, Promise<unknown>>()

  /** Runs `work` after all earlier work under this name has ended; returns its result. */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(name) ?? Promise.resolve()
    const mine = before.then(work, work)
    const tail = mine.then(
      () => undefined,
      () => undefined,
    )
    this.#tails.set(name, tail)
    try {
      return await mine
    } finally {
      if (this.#tails.get(name) === tail) this.#tails.delete(name)
    }
  }

  /** The number of names that are held or waited for. */
  get size(): number {
    return this.#tails.size
  }
}
