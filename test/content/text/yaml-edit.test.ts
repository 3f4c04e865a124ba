import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isMap, parseDocument, type YAMLMap } from 'yaml'
import { type Splice, splice } from '../../../src/content/text/lines.ts'
import {
  endOfDocument,
  endOfPair,
  indentOf,
  insertPairs,
  isShared,
  removePair,
  replaceValue,
  startOfPair,
  writeScalar,
} from '../../../src/content/text/yaml-edit.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

function mapIn(source: string): YAMLMap {
  const document = parseDocument(source, { logLevel: 'silent' })
  assert.equal(document.errors, [], source)
  assert.ok(isMap(document.contents), source)
  return document.contents as YAMLMap
}

/** The data of a map by key, and what a change of one key must not change. */
const dataOf = (source: string): Record<string, unknown> =>
  source.trim() === ''
    ? {}
    : (((parseDocument(source, { logLevel: 'silent' }).toJS() as object | null) ?? {}) as Record<
        string,
        unknown
      >)

const pairOf = (map: YAMLMap, key: string) => map.items.find(pair => String(pair.key) === key)!

/** Values of every kind that YAML has, as written behind the colon of a key. */
const values = [
  '',
  ' ~',
  ' x',
  ' x   # note',
  ' # note',
  ' "q: 1"  # note',
  " 'it''s'",
  ' 12',
  ' !!str 5 # note',
  ' &free x',
  ' two\n  lines',
  ' "two\n  lines" # note',
  ' |\n  l1\n\n  l2\n',
  ' |- # note\n  l1',
  ' |+\n  l1\n\n',
  ' >-\n  f1\n  f2',
  '\n  n: 1\n  # inner\n  m: 2 # note',
  '\n  - 1\n  - b: 2',
  '\n- 1\n- 2',
  ' [1, {a: b}] # note',
  ' {a: 1}',
]

type Line = { key: string; value: string; explicit: boolean; above: string }

const line: fc.Arbitrary<Line> = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd', '"q k"', "'s'", '1'),
  value: fc.constantFrom(...values),
  explicit: fc.boolean(),
  above: fc.constantFrom('', '', '# above\n', '\n', '\n  # a: b\n'),
})

const source = fc
  .record({
    lines: fc.uniqueArray(line, { minLength: 1, maxLength: 5, selector: ({ key }) => key }),
    eol: fc.constantFrom('\n', '\r\n'),
    // The parser counts a byte-order mark as a column, so the two do not go together.
    start: fc.constantFrom(
      { mark: '', indent: '' },
      { mark: '\ufeff', indent: '' },
      { mark: '', indent: '  ' },
    ),
    ending: fc.constantFrom('\n', '', '\n# end\n'),
  })
  .map(({ lines, eol, start: { mark, indent }, ending }) => {
    const written = lines.map(({ key, value, explicit, above }) =>
      explicit ? `${above}? ${key}\n:${value}` : `${above}${key}:${value}`,
    )
    const text = (written.join('\n') + ending).replace(/^(?=.)/gm, indent)
    return mark + text.replaceAll('\n', eol)
  })

/** A source with one of its keys. */
const sourceAndKey = source.chain(text => {
  const keys = mapIn(text).items.map(pair => String(pair.key))
  return fc.tuple(fc.constant(text), fc.constantFrom(...keys))
})

const scalars = fc.oneof(
  fc.string(),
  anyText().filter(text => text.isWellFormed()),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(
    '',
    '~',
    'true',
    '1e3',
    ' lead',
    'a: b',
    '# no',
    '- x',
    '*x',
    '&x',
    '? x',
    'a\nb',
    '%x',
  ),
)

/** Checks that a splice changes nothing outside of itself, and no comment line. */
function checkBytes(before: string, after: string, change: Splice): void {
  assert.is(after.slice(0, change.start), before.slice(0, change.start))
  assert.is(after.slice(change.start + change.text.length), before.slice(change.end))
  const eols = (text: string) => new Set(text.match(/\r\n|\r|\n/g))
  if (eols(before).size === 1) for (const eol of eols(after)) assert.ok(eols(before).has(eol))
}

test('a scalar is written so that it is read back', () => {
  fc.assert(
    fc.property(
      scalars,
      fc.constantFrom(undefined, 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'PLAIN'),
      (value, style) => {
        assert.equal(dataOf(`k: ${writeScalar(value, style as 'PLAIN')}\n`), { k: value })
        assert.not.match(writeScalar(value, style as 'PLAIN'), /\n/)
      },
    ),
    { numRuns: runs(1000) },
  )
})

test('replacing a value changes that value alone, in any map', () => {
  fc.assert(
    fc.property(sourceAndKey, scalars, ([text, key], value) => {
      const change = replaceValue(text, pairOf(mapIn(text), key), writeScalar(value))
      const after = splice(text, change)
      assert.equal(
        dataOf(after),
        { ...dataOf(text), [key]: value },
        `${JSON.stringify(text)} ${key}`,
      )
      mapIn(after)
      checkBytes(text, after, change)
    }),
    { numRuns: runs(1600) },
  )
})

test('a value of several lines is put below its key, and comments stay comments', () => {
  fc.assert(
    fc.property(
      sourceAndKey,
      fc.constantFrom('\n  n: 1\n  m: 2', '>-\n  one\n  two'),
      ([text, key], value) => {
        const after = splice(text, replaceValue(text, pairOf(mapIn(text), key), value))
        const wanted = value.startsWith('\n') ? { n: 1, m: 2 } : 'one two'
        assert.equal(
          dataOf(after),
          { ...dataOf(text), [key]: wanted },
          `${JSON.stringify(text)} ${key}`,
        )
      },
    ),
    { numRuns: runs(1200) },
  )
})

test('removing a pair removes its lines alone', () => {
  fc.assert(
    fc.property(sourceAndKey, ([text, key]) => {
      const map = mapIn(text)
      const change = removePair(text, map, pairOf(map, key))
      const after = splice(text, change)
      const { [key]: _, ...rest } = dataOf(text)
      assert.equal(dataOf(after), rest, `${JSON.stringify(text)} ${key}`)
      checkBytes(text, after, change)
    }),
    { numRuns: runs(1600) },
  )
})

test('inserting a pair changes no other, before any pair and behind the last', () => {
  fc.assert(
    fc.property(sourceAndKey, fc.boolean(), scalars, ([text, key], isLast, value) => {
      const map = mapIn(text)
      const at = isLast ? endOfPair(text, map.items.at(-1)!) : startOfPair(text, pairOf(map, key))
      const change = insertPairs(text, at, [`new: ${writeScalar(value)}`], {
        indent: indentOf(text, map),
      })
      const after = splice(text, change)
      assert.equal(dataOf(after), { ...dataOf(text), new: value }, JSON.stringify(text))
      checkBytes(text, after, change)
    }),
    { numRuns: runs(1600) },
  )
})

test('an anchor is shared if an alias outside of its pair refers to it', () => {
  const shared = (text: string, key: string) => {
    const map = mapIn(text)
    return isShared(map, pairOf(map, key))
  }

  assert.ok(shared('a: &x 1\nb: *x\n', 'a'))
  assert.ok(shared('a:\n  - &x 1\nb:\n  c: [*x]\n', 'a'))
  assert.not(shared('a: &x 1\nb: *x\n', 'b'))
  assert.not(shared('a: [&x 1, *x]\nb: 2\n', 'a'))
  assert.not(shared('a: 1\n', 'a'))
})

test('a document ends in front of its end marker', () => {
  assert.is(endOfDocument('a: 1\n...\n'), 5)
  assert.is(endOfDocument('a: 1\n'), 5)
})

test.run()
