import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { RateLimit } from '../../src/lib/rate-limit.ts'

test('at most twice the limit passes in any window, and a caller below it is never refused', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 20 }), (gaps, most) => {
      let at = 0
      const limit = new RateLimit(most, 100, () => at)
      const taken: number[] = []

      for (const gap of gaps) {
        at += gap
        const wait = limit.take('a')
        if (wait === 0) taken.push(at)
        else
          assert.ok(
            taken.filter(before => at - before < 100).length >= 1,
            'refused without a reason',
          )
      }

      for (const from of taken)
        assert.ok(taken.filter(time => time >= from && time < from + 100).length <= most * 2)
    }),
  )
  let at = 0
  const limit = new RateLimit(10, 100, () => at)

  for (let i = 0; i < 500; i++, at += 10) assert.is(limit.take('steady'), 0)
})

test('the reported wait is sufficient and no longer than necessary', () => {
  let at = 1000
  const limit = new RateLimit(3, 60_000, () => at)
  for (let i = 0; i < 3; i++) assert.is(limit.take('a'), 0)
  const wait = limit.take('a')

  assert.is(wait, 20_000)
  assert.is(limit.take('b'), 0, 'another key has its own')
  at += wait - 1
  assert.ok(limit.take('a') > 0)
  at += 1
  assert.is(limit.take('a'), 0)
})

test('unused keys take no memory', () => {
  let at = 0
  const limit = new RateLimit(2, 1_000, () => at)
  for (let i = 0; i < 50_000; i++) {
    at += 1
    limit.take(`key ${i}`)
  }
  assert.ok(limit.size <= 10_001, `${limit.size}`)
})

test.run()
