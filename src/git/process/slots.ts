import { GitError } from '../values/errors.ts'

/** Which pool a process belongs to: local work, or work on a remote host, which may take arbitrarily long. */
export type SlotKind = 'local' | 'remote'

/** How many callers may wait, and for how long, before they get 'busy'. */
const waitingPlaces = 64
const waitMs = 10_000

type Waiter = { go: () => void }
type Pool = { readonly places: number; taken: number; readonly waiting: Waiter[] }

/** Limits on short-lived git processes: the machine has few cores. Remote ones mostly wait for the network. */
const pools: Record<SlotKind, Pool> = {
  local: { places: 8, taken: 0, waiting: [] },
  remote: { places: 8, taken: 0, waiting: [] },
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

function wait({ waiting }: Pool): Promise<void> {
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
