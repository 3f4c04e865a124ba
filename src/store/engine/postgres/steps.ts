import { setTimeout } from 'node:timers/promises'
import { unavailable } from './codes.ts'
import type { Line } from './line.ts'
import type { Answer, Batch } from './messages.ts'

/** How long a transaction, with its repeats, may still wait, in milliseconds. */
export type Patience = { leftMs: number }

/** What a transaction waits for: an answer, or a pause before it runs again. */
type Step =
  | { line: Line; batch: Batch; patience: Patience }
  | { pauseMs: number; patience: Patience }

/** The steps of a transaction, in which its caller can block or await. */
export type Steps<Result> = Generator<Step, Result, Answer | undefined>

/** An answer within this time does not count as waiting, in milliseconds. */
const quickMs = 50

/** Runs steps, and blocks the thread meanwhile. */
export function runNow<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (!step.done) {
    let answer: Answer | undefined
    try {
      answer = waitNow(step.value)
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(answer)
  }
  return step.value
}

/** Runs steps, and blocks nothing meanwhile. */
export async function runBeside<Result>(steps: Steps<Result>): Promise<Result> {
  let step = steps.next()
  while (!step.done) {
    let answer: Answer | undefined
    try {
      answer = await waitBeside(step.value)
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(answer)
  }
  return step.value
}

function waitNow(step: Step): Answer | undefined {
  const { patience } = step
  if ('pauseMs' in step) {
    patience.leftMs -= step.pauseMs
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, step.pauseMs)
    return undefined
  }
  const from = begin(patience)
  try {
    return step.line.call(step.batch, patience.leftMs)
  } finally {
    end(patience, from)
  }
}

async function waitBeside(step: Step): Promise<Answer | undefined> {
  const { patience } = step
  if ('pauseMs' in step) {
    patience.leftMs -= step.pauseMs
    await setTimeout(step.pauseMs)
    return undefined
  }
  const from = begin(patience)
  try {
    return await step.line.callBeside(step.batch, patience.leftMs)
  } finally {
    end(patience, from)
  }
}

function begin({ leftMs }: Patience): number {
  if (leftMs <= 0) throw unavailable()
  return performance.now()
}

/** Many quick answers are the work of a long transaction, not of a slow database. */
function end(patience: Patience, from: number): void {
  patience.leftMs -= Math.max(0, performance.now() - from - quickMs)
}
