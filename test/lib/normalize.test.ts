import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { normalize } from '../../src/lib/normalize.ts'
import { leastCpuTime } from '../support/cpu-time.ts'

const forms = ['NFC', 'NFKC', 'NFKD'] as const

test('a text is normalized as usual, unless it has more than thirty marks in a row', () => {
  const letters = fc.array(fc.constantFrom('a', 'é', 'ﬁ', '文', '가', 'ä'), { maxLength: 5 })
  const marks = fc.array(fc.constantFrom('\u0301', '\u0323', '\u0308', '\u094d'), { maxLength: 30 })
  const text = fc
    .array(fc.tuple(letters, fc.constant(['b']), marks))
    .map(parts => parts.flat(2).join(''))
  fc.assert(
    fc.property(text, fc.constantFrom(...forms), (text, form) =>
      assert.is(normalize(form, text), text.normalize(form)),
    ),
  )
})

test('many marks in a row take time in proportion to their number', () => {
  const size = 400_000
  for (const form of forms)
    for (const text of [
      '\u0301\u0323'.repeat(size / 2),
      '\u0301'.repeat(size / 2) + '\u0323'.repeat(size / 2),
    ]) {
      // A quadratic sort takes a minute.
      const spent = leastCpuTime(() => normalize(form, `a${text}`), 1_000)
      assert.ok(spent < 1_000, `${form} took ${spent} ms`)
    }
})

test.run()
