import { GitError } from '../values/errors.ts'

/** Who waits for the end of a process: local work, or a remote host, which may take as long as it likes. */
export type SlotKind = 'local' | 'remote'

/** How many may wait, and how long, before the caller hears that the machine is busy. */
const waitingPlaces = 64
const waitMs = 10_000

type Waiter = { go: () => void }
type Pool = { readonly places: number; taken: number; readonly waiting: Waiter[] }

/** Short-lived git processes at once: the machine has a few cores. Those for remotes mostly wait for the network. */
const pools: Record<SlotKind, Pool> = {
  local: { places: 8, taken: 0, waiting: [] },
  remote: { places: 8, taken: 0, waiting: [] },
}

/** Waits for a place among the running git processes; the returned function frees it. Throws GitError 'busy'. */
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
