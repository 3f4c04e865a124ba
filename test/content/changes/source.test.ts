import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sourceLines } from '../../../src/content/changes/source.ts'
import { atOnce } from '../../../src/lib/slices.ts'

/** Writes lines as in a diff; changed words stand in braces. */
const shown = (before: string, after: string): string[] =>
  atOnce(sourceLines(before, after)).map(
    ({ kind, pieces }) =>
      ({ same: ' ', removed: '-', added: '+' })[kind] +
      pieces.map(({ text, isChanged }) => (isChanged ? `{${text}}` : text)).join(''),
  )

test('lines that stayed are the same, and others have the words that differ', () => {
  assert.equal(shown('a\nRun npm i now.\nb\n', 'a\nRun npm ci now.\nb\nc'), [
    ' a',
    '-Run npm {i} now.',
    '+Run npm {ci} now.',
    ' b',
    '+c',
  ])
  assert.equal(shown('', 'a\r\nb'), ['+a', '+b'])
  assert.equal(shown('one two three', 'four five six seven'), [
    '-one two three',
    '+four five six seven',
  ])
})

test('lines have their numbers in both versions', () => {
  const lines = atOnce(sourceLines('a\nb\nc', 'b\nx\nc'))
  assert.equal(
    lines.map(({ before, after }) => [before, after]),
    [
      [1, undefined],
      [2, 1],
      [undefined, 2],
      [3, 3],
    ],
  )
})

test('what both versions have, and what one has, is the text of each version', () => {
  const words = ['a', 'b', 'c', 'd e', 'f g h', '']
  for (let seed = 1; seed <= 300; seed++) {
    const text = (salt: number) =>
      Array.from(
        { length: 1 + ((seed * salt) % 9) },
        (_, at) => words[(seed * at * salt) % 6],
      ).join('\n')
    const [before, after] = [text(3), text(5)]
    const lines = atOnce(sourceLines(`${before}\n`, `${after}\n`))
    const side = (without: string) =>
      lines
        .filter(({ kind }) => kind !== without)
        .map(({ pieces }) => pieces.map(each => each.text).join(''))
        .join('\n')
    assert.is(side('added'), before)
    assert.is(side('removed'), after)
  }
})

test('two megabytes that have nothing in common are compared in linear time', () => {
  const many = (word: string) =>
    Array.from({ length: 100_000 }, (_, at) => `${word} ${at} line`).join('\n')
  const start = process.cpuUsage()
  assert.is(atOnce(sourceLines(many('one'), many('two'))).length, 200_000)
  atOnce(sourceLines('x '.repeat(1_000_000), 'y '.repeat(1_000_000)))
  const { user } = process.cpuUsage(start)
  assert.ok(user < 4_000_000, `${user} µs of CPU`)
})

test.run()
