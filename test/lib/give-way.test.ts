import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { begin, giveWay } from '../../src/lib/give-way.ts'

/** Counts steps of work that gives way while others ask; in the end, how many came by. */
async function stepsWhile(ask: (steps: () => number) => Promise<void>): Promise<number> {
  let over = false
  let steps = 0
  const work = (async () => {
    for (;;) {
      await giveWay()
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

test('work that nobody waits for goes on when nobody asks', async () => {
  const steps = await stepsWhile(async () => {
    for (let i = 0; i < 1000; i++) await moment()
  })
  assert.ok(steps > 300, `${steps} steps`)
})

test('somebody who asks one question after the other is let go first, but not for ever', async () => {
  let asked = 0
  const started = performance.now()
  const steps = await stepsWhile(async steps => {
    while (steps() < 5) {
      const over = begin()
      await moment()
      over()
      over()
      asked++
      await moment()
    }
  })
  // A step each 25 ms at most, one before, and one at the end.
  const ms = performance.now() - started
  assert.ok(steps <= ms / 25 + 2, `${steps} steps beside ${asked} questions in ${ms} ms`)
})

test.run()
