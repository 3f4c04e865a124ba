import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { piecesOf } from '../../../src/content/markdown/table-cells.ts'

const pieces = (source: string): string[] =>
  [...piecesOf(source, { start: 0, end: source.length })].map(({ start, end }) =>
    source.slice(start, end),
  )

test('the cells of a table are pieces of their own, without its delimiter row', () => {
  assert.equal(pieces('| a | b |\n| - | :-: |\n| c | d |'), [' a ', ' b ', ' c ', ' d '])
  assert.equal(pieces('a | b\n--|--\nc'), ['a ', ' b', 'c'])
})

test('an escaped pipe does not end a cell', () => {
  assert.equal(pieces('| a \\| b |\n| --- |\n| c |'), [' a \\| b ', ' c '])
})

test('text before the header row is a piece', () => {
  assert.equal(pieces('Words.\n| a |\n| - |\n| b |'), ['Words.\n', ' a ', ' b '])
})

test('markers of quotes before a row are not part of its cells', () => {
  assert.equal(pieces('| a |\n> | - |\n> | b |'), [' a ', ' b '])
})

for (const source of [
  'no | table',
  '| a | b |\n| - |\n| c |',
  '| - |\n| a |',
  'a - b',
  '| a |\n- - -',
])
  test(`${JSON.stringify(source)} is one piece`, () => assert.equal(pieces(source), [source]))

test('pieces are in order, within the range, and do not overlap', () => {
  const parts = fc.constantFrom('|', '-', ':', ' ', '\n', '\\', 'a', '>', '| - |\n', '| a |\n')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 40 }), fc.nat(5), (list, start) => {
      const source = list.join('')
      const range = { start: Math.min(start, source.length), end: source.length }
      let last = range.start
      for (const piece of piecesOf(source, range)) {
        assert.ok(last <= piece.start && piece.start <= piece.end && piece.end <= range.end)
        last = piece.end
      }
    }),
  )
})

test.run()
