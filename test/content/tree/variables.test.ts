import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  readVariables,
  type Variables,
  writeVariables,
} from '../../../src/content/tree/variables.ts'
import { Fault } from '../../../src/errors.ts'
import { runs } from '../../support/long-run.ts'

const read = (text: string) => readVariables(Buffer.from(text))
const plain = (variables: Variables) => ({ ...variables })
const refuses = (run: () => unknown) => {
  assert.throws(run, (error: unknown) => error instanceof Fault && error.kind === 'invalid')
}

test('strings, numbers and booleans are read; other entries are reported with their line', () => {
  const { variables, issues } = read(
    'product: Nimbus\nmax_nodes: 12\non: true\nlist: [1]\n1x: a\nempty:\nnone: .inf\nproduct: Again\nlong: ' +
      `${'x'.repeat(257)}\n__proto__: x\nconstructor: c\n`,
  )
  assert.equal(plain(variables), { product: 'Nimbus', max_nodes: 12, on: true, constructor: 'c' })
  assert.equal(issues.map(issue => issue.line).sort(), [10, 4, 5, 6, 7, 8, 9])
  assert.is(variables.toString, undefined)
  assert.is(({} as Record<string, unknown>).x, undefined)
})

test('a missing, an empty and a broken file have no variables', () => {
  assert.equal(plain(readVariables(undefined).variables), {})
  assert.equal(read('# later\n').issues, [])

  for (const text of [
    '- a\n',
    'words',
    'a: "open\n',
    '[',
    '['.repeat(60_000),
    'a: &a 1\nb: *a\n',
    '\tx: 1\n',
  ])
    assert.ok(read(text).issues.length > 0, text.slice(0, 20))
})

const file = `# The product
product: Nimbus   # shown everywhere

max: 12
note: >-
  folded
  text
# The end
"quoted": 'x'
nested:
  kept: yes
`

test('only the lines of changed variables change', () => {
  const { variables } = read(file)
  assert.is(writeVariables(file, variables), file)
  assert.is(writeVariables(file, { ...variables, max: 13 }), file.replace('12', '13'))
  assert.is(
    writeVariables(file, { ...variables, note: 'a: b' }),
    file.replace('>-\n  folded\n  text', '"a: b"'),
  )

  assert.is(
    writeVariables(file, { ...variables, product: 'Cirrus' }),
    file.replace('Nimbus', 'Cirrus'),
  )
  assert.is(writeVariables(file, { ...variables, more: true }), `${file}more: true\n`)
  const { max: _, ...less } = variables

  assert.is(writeVariables(file, less), file.replace('max: 12\n', ''))
})

test('line ends, a missing final line end and a byte-order mark are preserved', () => {
  assert.is(
    writeVariables('\ufeffa: 1\r\nb: 2', { a: 1, b: 3, c: 4 }),
    '\ufeffa: 1\r\nb: 3\r\nc: 4\r\n',
  )
  assert.is(writeVariables('', { a: 'x' }), 'a: x\n')
  assert.is(writeVariables('# none yet', { a: 'x' }), '# none yet\na: x\n')
  assert.is(writeVariables('---\na: 1\n...\n', { a: 1, b: 2 }), '---\na: 1\nb: 2\n...\n')
  assert.is(writeVariables('a:\nb: 2\n', { a: 1, b: 2 }), 'a: 1\nb: 2\n')
  assert.is(writeVariables('{a: 1, b: 2}\n', { a: 1, b: 3 }), 'a: 1\nb: 3\n')
  assert.is(writeVariables('\ufeffa: 1\n', {}), '\ufeff')
  assert.is(writeVariables('a: 1\na: 2\n', { a: 3 }), 'a: 3\n')
})

test('invalid variables and files that cannot be edited are refused', () => {
  for (const variables of [{ '1x': 1 }, { 'a b': 1 }, { a: Number.NaN }, { a: 'x'.repeat(257) }])
    refuses(() => writeVariables('', variables))
  for (const text of ['- a\n', 'words\n', 'a: "open\n', '\ta: 1\n', '{a: [1]}\n'])
    refuses(() => writeVariables(text, { a: 2 }))
})

test('a value that other entries refer to is not changed', () => {
  refuses(() => writeVariables('a: &x 1\nkept: [*x]\n', { a: 2 }))
  refuses(() => writeVariables('a: &x 1\nkept: [*x]\n', {}))
  assert.is(writeVariables('a: &x 1\nkept: [*x]\n', { a: 1, b: 2 }), 'a: &x 1\nkept: [*x]\nb: 2\n')
})

test('new variables go below keys of any form', () => {
  assert.is(writeVariables('? a\n: 1\n', { a: 1, b: 2 }), '? a\n: 1\nb: 2\n')
  assert.is(writeVariables('  a: 1 # note\n', { a: 1, b: 2 }), '  a: 1 # note\n  b: 2\n')
  assert.is(writeVariables('a: |\n  text\n', { a: 'text\n', b: 2 }), 'a: |\n  text\nb: 2\n')
})

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/)
const value = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(
    'a: b',
    '- x',
    '# no',
    'true',
    '1e3',
    '0x1F',
    'null',
    '~',
    ' lead',
    'trail ',
    "it's",
    'a\nb',
    '*x',
    '%x',
    '',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter(number => !Object.is(number, -0)),
  fc.integer(),
  fc.boolean(),
)
const some = fc.dictionary(name, value, { maxKeys: 6, noNullPrototype: true })

test('written variables are read back, over any earlier ones, and comments are preserved', () => {
  fc.assert(
    fc.property(some, some, fc.constantFrom('\n', '\r\n'), (first, second, eol) => {
      const start = `# kept${eol}${writeVariables('', first).replaceAll('\n', eol)}# end${eol}`
      const text = writeVariables(start, second)
      const { variables, issues } = read(text)
      assert.equal(issues, [])
      assert.equal(plain(variables), second)
      assert.ok(text.includes('# kept') && text.includes('# end'))
      assert.is(writeVariables(text, second), text)
    }),
    { numRuns: runs(300) },
  )
})

test.run()
