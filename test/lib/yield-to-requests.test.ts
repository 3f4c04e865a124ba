import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { requestStarted, yieldToRequests } from '../../src/lib/yield-to-requests.ts'

/** Runs background work during `ask` and returns the number of its steps. */
async function stepsWhile(ask: (steps: () => number) => Promise<void>): Promise<number> {
  let over = false
  let steps = 0
  const work = (async () => {
    for (;;) {
      await yieldToRequests()
      if (over) return
      steps++
    }
  })()

  await ask(() => steps)
  over = true
  await work

  return steps
}

const moment = () => new Promise<void>(resolve => setImmediate(resolve))

test('background work proceeds while there are no requests', async () => {
  const steps = await stepsWhile(async () => {
    for (let i = 0; i < 1000; i++) await moment()
  })
  assert.ok(steps > 300, `${steps} steps`)
})

test('back-to-back requests go first, but do not stop background work', async () => {
  let asked = 0
  let pauses = 0
  const started = performance.now()
  const steps = await stepsWhile(async steps => {
    while (steps() < 5) {
      const over = requestStarted()
      await moment()
      over()
      over()
      asked++
      const ended = performance.now()
      await moment()
      // A process that is held up sends no requests meanwhile.
      if (performance.now() - ended > 2) pauses++
    }
  })

  // At most one step per 25 ms, one before and one at the end, and those of pauses.
  const ms = performance.now() - started
  const seen = `${steps} steps beside ${asked} requests in ${ms} ms with ${pauses} pauses`

  assert.ok(steps <= ms / 25 + 2 + 2 * pauses, seen)
})

test.run()
