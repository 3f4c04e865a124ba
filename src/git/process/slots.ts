import { GitError } from '../values/errors.ts'

/**
 * Which pool a process belongs to: local work, work on a remote host, which may take arbitrarily long, or answers to
 * fetches and checks of pushed packs, which would stop the API if they shared its places.
 */
export type SlotKind = 'local' | 'remote' | 'fetch' | 'push'

/** How many callers of a pool may wait before they get 'busy'. */
const waitingPlaces = 64

type Waiter = { go: () => void }
/** `waitMs` is how long a caller may wait before it gets 'busy'. */
type Pool = { readonly places: number; readonly waitMs: number; taken: number; readonly waiting: Waiter[] }

/** Limits on short-lived git processes: the machine has few cores. Remote ones mostly wait for the network. */
const pools: Record<SlotKind, Pool> = {
  local: { places: 8, waitMs: 10_000, taken: 0, waiting: [] },
  remote: { places: 8, waitMs: 10_000, taken: 0, waiting: [] },
  fetch: { places: 4, waitMs: 30_000, taken: 0, waiting: [] },
  push: { places: 2, waitMs: 30_000, taken: 0, waiting: [] },
}

/** Waits for a free slot and returns a function that releases it. Throws GitError 'busy'. */
export async function takeSlot(kind: SlotKind): Promise<() => void> {
  const pool = pools[kind]
  if (pool.taken < pool.places) pool.taken++
  else await wait(pool)
  let released = false
  return () => {
    if (released) return
    released = true
    const next = pool.waiting.shift()
    if (next) next.go()
    else pool.taken--
  }
}

function wait({ waiting, waitMs }: Pool): Promise<void> {
  if (waiting.length >= waitingPlaces) return Promise.reject(busy())
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(waiter), 1)
      reject(busy())
    }, waitMs)
    const waiter: Waiter = {
      go: () => {
        clearTimeout(timer)
        resolve()
      },
    }
    waiting.push(waiter)
  })
}

const busy = () => new GitError('busy', 'Too many Git operations are running. Try again in a moment.')
