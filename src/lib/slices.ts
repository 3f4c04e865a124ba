import { setImmediate } from 'node:timers/promises'

/** Work in steps: it yields where others may be let in, often enough, and returns what it comes to. */
export type Steps<Result> = Generator<void, Result, void>

/** How long others wait at most, if the steps are short, in milliseconds. */
const longest = 12

/** Does work in steps without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/**
 * Does work in steps and lets other work in between them, so that what takes seconds delays nothing else by more than a
 * moment. Throws the reason of `signal` soon after it is aborted.
 */
export async function inSlices<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  const pause = pauses(signal)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    const wait = pause()
    if (wait) await wait
  }
}

/**
 * Returns a function for a loop to await after every step: it lets other work in when the last time was too long ago.
 * After such a pause it throws the reason of `signal` when that was aborted.
 */
export function pauses(signal?: AbortSignal): () => Promise<void> | undefined {
  let until = performance.now() + longest
  return () => {
    if (performance.now() < until) return undefined
    return setImmediate().then(() => {
      signal?.throwIfAborted()
      until = performance.now() + longest
    })
  }
}
