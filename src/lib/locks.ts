/** Runs work one at a time per name, in order of arrival. */
export type Locks = {
  /** Runs `work` after all earlier work under this name has ended; returns its result. */
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}

/** Returns locks that hold within one process: the data folder has one server. */
export function localLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>()
  return {
    run: async (name, work) => {
      const before = tails.get(name) ?? Promise.resolve()
      const mine = before.then(work, work)
      const tail = mine.then(
        () => undefined,
        () => undefined,
      )

      tails.set(name, tail)

      try {
        return await mine
      } finally {
        if (tails.get(name) === tail) tails.delete(name)
      }
    },
  }
}
