/** Runs work one at a time per name, in the order of arrival. In one process: the data folder has one server. */
export class Locks {
  readonly #tails = new Map<string, Promise<unknown>>()

  /** Runs `work` when everything asked for earlier under this name has ended; gives what it gives. */
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

  /** How many names are held or waited for. */
  get size(): number {
    return this.#tails.size
  }
}
