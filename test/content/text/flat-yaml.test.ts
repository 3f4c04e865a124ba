import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isMap } from 'yaml'
import { readFlatYaml } from '../../../src/content/text/flat-yaml.ts'
import { entriesOf, readYaml, scalarText, type YamlFile } from '../../../src/content/text/yaml.ts'
import { runs } from '../../support/long-run.ts'

type Plain = { key: string; line: number; value: Plain | string | undefined }[]

/** Returns the keys, lines and values of YAML, as the settings of a space are read from it. */
function plain(node: unknown, file: YamlFile): Plain {
  return entriesOf(node, file).map(({ key, value, line }) => ({
    key,
    line,
    value: isMap(value) ? plain(value, file) : scalarText(value),
  }))
}

function same(text: string): boolean {
  const flat = readFlatYaml(text)
  if (!flat) return false
  const full = readYaml(text, 100_000)
  const expected = plain(full.document?.contents, full)

  assert.equal(
    { text, issues: flat.issues, entries: plain(flat.document?.contents, flat) },
    {
      text,
      issues: full.issues,
      entries: expected,
    },
  )
  assert.equal(flat.issues, full.issues)

  return true
}

test('settings with many redirects are read like any YAML', () => {
  const redirects = Array.from(
    { length: 200 },
    (_, at) => `  old/page-${at}: new/page-${at}.md#part`,
  )
  const text = `root: ./docs\n\nstructure:\n  readme: a.md\n  summary: b.md\n\nredirects:\n\n  # Old\n${redirects.join('\n')}\n`
  assert.ok(same(text))
})

test('plain words, numbers and missing values are what YAML says', () => {
  for (const text of [
    '',
    '# nothing\n',
    'a:',
    'a:\nb:\n',
    'a: true\nb: 0x10\nc: 1.50\nd: 2026-01-01\ne: .inf\nf: yes\n',
    'a: http://example.org/x?y=1&z#part\n',
    'a:   b   \n\n\n#c\n  # d\ne: f#g',
    'a:\n    b: c\n    d:\n# e\n    f: g\nh: i\n',
    'true: a\n1: b\n',
    `'a b': "c: d # e"\n"":\n  "null": ''\n  '~': ' x '\n`,
    'a: b\na: c\n',
  ])
    assert.ok(same(text), text)
})

test('other YAML is left to the parser of all YAML', () => {
  for (const text of [
    'a: "b\\n"\n',
    "'a''b': b\n",
    'a: "b\n  c"\n',
    'a: "b" c\n',
    '"a" b: c\n',
    'a: b # c\n',
    'a: b\r\nc: d\n',
    'a:\n\tb: c\n',
    'a: b\n  c: d\n',
    'a:\n  b: c\n d: e\n',
    'a:\n  b: c\n   d: e\n',
    'a:\n  b:\n    c: d\n',
    '  a: b\n',
    'a: null\n',
    'Null: a\n',
    'a: ~\n',
    'a: [b]\n',
    'a: *b\n',
    'a: b:\n',
    'a: b: c\n',
    'a: b\n  c\n',
    'a: é\n',
    '- a\n',
    '---\na: b\n',
    '...\n',
    '%YAML 1.2\n',
    `a: ${'b'.repeat(2_000)}\n`,
  ])
    assert.is(readFlatYaml(text), undefined, text)
})

test('whatever is read is read like any YAML', () => {
  const word = fc.constantFrom(
    'a',
    'b-c',
    'd/e.md',
    '.f',
    '-',
    '1',
    'null',
    'true',
    '#',
    ':',
    '?',
    '%',
    '~',
    '"',
  )
  const bare = fc.array(word, { minLength: 1, maxLength: 3 }).map(parts => parts.join(''))
  const text = fc
    .array(fc.oneof(word, fc.constant(' ')), { maxLength: 3 })
    .map(parts => parts.join(''))
  const words = fc.oneof(
    { weight: 3, arbitrary: bare },
    text.map(each => `"${each}"`),
    text.map(each => `'${each}'`),
  )

  const line = fc
    .tuple(
      fc.constantFrom('', '', '', '  ', '  ', ' ', '\t'),
      words,
      fc.constantFrom(':', ': ', ': ', ': ', '', ' #'),
      fc.option(words),
    )
    .map(([indent, key, colon, value]) => indent + key + colon + (value ?? ''))

  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), lines => {
      same(lines.join('\n'))
    }),
    { numRuns: runs(3_000) },
  )
})

test.run()
