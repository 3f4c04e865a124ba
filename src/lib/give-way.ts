import { setImmediate, setTimeout } from 'node:timers/promises'

let underWay = 0

/** Somebody is waiting for us from now on; gives what is to be called, once or more, when they have what they wanted. */
export function begin(): () => void {
  underWay++
  let over = false
  return () => {
    if (!over) underWay--
    over = true
  }
}

/** How long work that nobody waits for lets those who wait go first, in milliseconds. */
const longest = 25

/** To be awaited between short steps of work that nobody waits for: returns when nobody waits, or has waited long enough. */
export async function giveWay(): Promise<void> {
  await setImmediate()
  for (const until = performance.now() + longest; underWay > 0 && performance.now() < until; )
    await setTimeout(1)
}
