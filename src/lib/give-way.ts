import { setImmediate, setTimeout } from 'node:timers/promises'

let underWay = 0
let lastOver = Number.NEGATIVE_INFINITY

/** Somebody is waiting for us from now on; gives what is to be called, once or more, when they have what they wanted. */
export function begin(): () => void {
  underWay++
  let over = false
  return () => {
    if (over) return
    over = true
    underWay--
    lastOver = performance.now()
  }
}

/** How long work that nobody waits for lets those who wait go first, in milliseconds. */
const longest = 25

/** Whoever has just had an answer may come with the next question: for so long we wait for it, in milliseconds. */
const calm = 3

/**
 * To be awaited between short steps of work that nobody waits for: returns when nobody waits or has waited a moment ago, or
 * when that has lasted long enough.
 */
export async function giveWay(): Promise<void> {
  await setImmediate()
  const isBusy = (now: number) => underWay > 0 || now - lastOver < calm
  const until = performance.now() + longest
  for (let now = performance.now(); isBusy(now) && now < until; now = performance.now()) await setTimeout(1)
}
