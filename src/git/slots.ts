import { GitError } from './errors.ts'

/** How many short-lived git processes run at once; the machine has a few cores, not a thousand. */
const places = 8
/** How many may wait, and how long, before the caller hears that the machine is busy. */
const waitingPlaces = 64
const waitMs = 10_000

type Waiter = { go: () => void }

let taken = 0
const waiting: Waiter[] = []

/**
 * Waits for a place among the running git processes; the function it gives frees it. Throws GitError 'busy'.
 */
export async function takeSlot(): Promise<() => void> {
  if (taken < places) taken++
  else await wait()
  let released = false
  return () => {
    if (released) return
    released = true
    const next = waiting.shift()
    if (next) next.go()
    else taken--
  }
}

function wait(): Promise<void> {
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
