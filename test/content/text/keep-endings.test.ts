import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { keepEndings } from '../../../src/content/text/keep-endings.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'

const keep = (old: string, edited: string): string => atOnce(keepEndings(old, edited))

/** Returns a text as a form of a browser sends it. */
const sent = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n')
/** Returns a text as an editor in a browser has it. */
const typed = (text: string): string => text.replace(/\r\n?|\n/g, '\n')

const endings = fc.constantFrom('\n', '\r\n', '\r')
const words = fc.constantFrom('', 'a', 'b', '\tc', 'd  ', '{% hint %}', '\u00a0', '🙂')
const texts = fc
  .tuple(fc.array(fc.tuple(words, endings)), words)
  .map(([lines, last]) => lines.flat().join('') + last)

test('a text that was only opened and saved keeps all its bytes', () => {
  fc.assert(
    fc.property(texts, text => {
      assert.is(keep(text, sent(text)), text)
      assert.is(keep(text, typed(text)), text)
    }),
  )
})

test('a line that was changed changes that line only', () => {
  fc.assert(
    fc.property(texts, fc.nat(), (text, n) => {
      const parts = text.split(/(\r\n?|\n)/)
      const at = 2 * (n % ((parts.length + 1) / 2))
      const wanted = parts.with(at, 'something new').join('')
      assert.is(keep(text, sent(wanted)), wanted)
    }),
  )
})

test('new lines end like the line before them, and deleted ones take their endings along', () => {
  assert.is(keep('a\r\nb\nc', 'a\nnew\nb\nc\nd'), 'a\r\nnew\r\nb\nc\nd')
  assert.is(keep('a\r\nb\r\nc', 'a\nx\nb\nc\n'), 'a\r\nx\r\nb\r\nc\r\n')
  assert.is(keep('a\r\nb\nc\r\n', 'a\nc\n'), 'a\r\nc\r\n')
  assert.is(keep('', 'a\r\nb'), 'a\nb')
})

test('large texts that differ everywhere take time in proportion to their size', () => {
  const lines = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${name} ${n % 7}${n % 2 ? '\r\n' : '\n'}`).join('')
  const [old, edited] = [lines('a', 100_000), lines('b', 100_000) + lines('a', 50_000)]
  const taken = leastCpuTime(() => keep(old, edited), 1_000)
  assert.ok(taken < 3_000, `${taken} ms`)
})

test.run()
