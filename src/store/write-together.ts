import type { Store } from './store.ts'

type Waiting = {
  work: () => unknown
  resolve: (result: never) => void
  reject: (error: unknown) => void
}

/** The largest number of writes in one transaction, which bounds its latency. */
const most = 50

/**
 * Returns a function that runs writes, each atomic. The writes of one turn of the event loop share
 * a transaction and thus one sync of the disk. The promise resolves when the rows are on disk, and
 * rejects with the error of the write or of the transaction.
 */
export function writeTogether(store: Store): <Result>(work: () => Result) => Promise<Result> {
  const waiting: Waiting[] = []
  const run = async (): Promise<void> => {
    const now = waiting.splice(0, most)
    if (waiting.length > 0) setImmediate(run)

    try {
      const ended = await store.transactEach(now.map(({ work }) => work))
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
