import { setImmediate } from 'node:timers/promises'

/**
 * Work in steps: a generator that yields often, wherever it can be interrupted, and returns the
 * result.
 */
export type Steps<Result> = Generator<undefined, Result, unknown>

/** The longest time in milliseconds between two pauses, if steps are short. */
const longest = 4

/**
 * The most turns of the event loop in a pause. A turn accepts one connection: with a single turn,
 * the last of 64 clients that connect at once would wait for 64 slices.
 */
const mostTurns = 16
/** A turn that takes less, in milliseconds, had nothing to do. */
const idle = 0.02

/** Runs work in steps without pausing. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/**
 * Runs work in steps and yields to the event loop in between, so that seconds of work do not block
 * other requests. Throws the reason of `signal` soon after it is aborted.
 */
export async function inSlices<Result>(
  steps: Steps<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const pause = pauses(signal)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    const wait = pause()
    if (wait) await wait
  }
}

/**
 * Returns a function for a loop to await after every step: it yields to the event loop when the
 * last pause was too long ago, and then throws the reason of `signal` if that was aborted.
 */
export function pauses(signal?: AbortSignal): () => Promise<void> | undefined {
  let until = performance.now() + longest
  return () => {
    if (performance.now() < until) return undefined
    return rest().then(() => {
      signal?.throwIfAborted()
      until = performance.now() + longest
    })
  }
}

/** Leaves the event loop to others, until a turn finds nothing to do. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < mostTurns; turn++) {
    const begun = performance.now()
    await setImmediate()
    if (performance.now() - begun < idle) return
  }
}
