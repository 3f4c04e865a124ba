import { setImmediate } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { chunksPerTurn, paced } from '../../src/transfers/send-chunks.ts'

test('chunks beyond the number of a turn are sent in the next turns, in order', async () => {
  const went: number[] = []
  const all = Array.from({ length: 3 * chunksPerTurn + 1 }, async (_, n) => {
    await paced()
    went.push(n)
  })
  const inTurns: number[] = []

  for (let turn = 0; turn < 5; turn++) {
    await setImmediate()
    inTurns.push(went.length)
  }

  await Promise.all(all)
  assert.equal(
    went,
    all.map((_, n) => n),
  )
  assert.is(inTurns.at(-1), all.length)
  for (const [turn, count] of inTurns.entries()) assert.ok(count <= (turn + 2) * chunksPerTurn)
})

test('a chunk alone does not wait', async () => {
  assert.is(paced(), undefined)
  await setImmediate()
  await setImmediate()
  assert.is(paced(), undefined)
})

test.run()
