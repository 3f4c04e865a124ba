import { setImmediate, setTimeout } from 'node:timers/promises'

let active = 0
let lastEnded = Number.NEGATIVE_INFINITY

/**
 * Records the start of a request and returns a function that records its end; calling that again
 * has no effect.
 */
export function requestStarted(): () => void {
  active++
  let ended = false
  return () => {
    if (ended) return
    ended = true
    active--
    lastEnded = performance.now()
  }
}

/** The longest time that background work waits for requests, in milliseconds. */
const longestMs = 25

/**
 * A client that has just been answered often sends its next request within this many milliseconds.
 */
const quietMs = 3

/**
 * Waits until no request is active and none has ended a moment ago, but not for long. Background
 * work awaits it between short steps.
 */
export async function yieldToRequests(): Promise<void> {
  await setImmediate()
  const isBusy = (now: number) => active > 0 || now - lastEnded < quietMs
  const until = performance.now() + longestMs
  for (let now = performance.now(); isBusy(now) && now < until; now = performance.now())
    await setTimeout(1)
}
