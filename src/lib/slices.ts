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

/** Does work in steps, and lets others in between them: what takes seconds holds nobody up for longer than a moment. */
export async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  const pause = pauses()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    const wait = pause()
    if (wait) await wait
  }
}

/** For a loop: to be awaited after every step. Lets others in when the last time was too long ago. */
export function pauses(): () => Promise<void> | undefined {
  let until = performance.now() + longest
  return () => {
    if (performance.now() < until) return undefined
    return setImmediate().then(() => {
      until = performance.now() + longest
    })
  }
}
