import type { Store } from './store.ts'

type Waiting = { work: () => unknown; resolve: (result: never) => void; reject: (error: unknown) => void }

/** How many share a transaction: nobody is to wait long for all of them. */
const most = 50

/**
 * A way to run work that changes rows, each whole or not at all. What comes in one turn of the event loop shares a
 * transaction, and so one wait for the disk: who writes a lot does not hold up those whose work takes several turns. The
 * promise is kept once the rows are on the disk; it is refused with what the work threw, or with what went wrong for all.
 */
export function writeTogether(store: Store): <Result>(work: () => Result) => Promise<Result> {
  const waiting: Waiting[] = []
  const run = (): void => {
    const now = waiting.splice(0, most)
    if (waiting.length > 0) setImmediate(run)
    try {
      const ended = store.transactEach(now.map(({ work }) => work))
      for (const [i, end] of ended.entries())
        if ('error' in end) now[i]!.reject(end.error)
        else now[i]!.resolve(end.result as never)
    } catch (error) {
      for (const { reject } of now) reject(error)
    }
  }
  return work =>
    new Promise((resolve, reject) => {
      if (waiting.push({ work, resolve, reject }) === 1) setImmediate(run)
    })
}
