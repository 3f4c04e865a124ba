import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { mostCharacters, parseExpression } from '../../../src/content/expression/parse.ts'
import { Fault } from '../../../src/errors.ts'

const names = (text: string) =>
  parseExpression(text).freeNames.map(({ name, at }) => `${name}@${at}`)

function refusal(text: string): { message: string; position: unknown } {
  try {
    parseExpression(text)
  } catch (error) {
    assert.instance(error, Fault)
    return { message: (error as Fault).message, position: (error as Fault).detail?.position }
  }
  throw new Error(`${text} was parsed`)
}

test('the parts of an expression have a kind and an offset', () => {
  const { root } = parseExpression('a.b + 1')
  assert.equal(root, {
    kind: 'binary',
    operator: '+',
    left: {
      kind: 'member',
      of: { kind: 'name', name: 'a', at: 0 },
      key: { kind: 'literal', value: 'b', at: 2 },
      optional: false,
      at: 0,
    },
    right: { kind: 'literal', value: 1, at: 6 },
    at: 0,
  })
})

test('free names are those that no function binds, with their offsets', () => {
  assert.equal(names('a.some(x => x === b && c.every((y, i) => x || y || i))'), [
    'a@0',
    'b@18',
    'c@23',
  ])
  assert.equal(names('undefined || null || true'), [])
  assert.equal(names('{ a: b, c }'), ['b@5', 'c@8'])
})

const refused: [text: string, message: RegExp, position: number][] = [
  ['', /empty/, 0],
  ['a b', /Unexpected text/, 2],
  ['a = 1', /assignment/, 0],
  ['new Date', /"new"/, 0],
  ['this', /"this"/, 0],
  ['f()', /named method/, 0],
  ['a[b]()', /named method/, 0],
  ['a.eval()', /no method "eval"/, 2],
  ['a?.b?.()', /before the method name/, 0],
  ['/a+/', /regular expression/, 0],
  ['1n', /"n"/, 0],
  ['[1,,2]', /gap/, 0],
  ['{ get a() { return 1 } }', /names and values/, 2],
  ['x => x', /function/, 0],
  ['a.some(function (x) { return x })', /x => x\.id/, 7],
  ['a.some(({ b }) => b)', /plain names/, 8],
  ['delete a.b', /"delete"/, 0],
  ['a ++', /"\+\+"/, 0],
]
for (const [text, message, position] of refused)
  test(`${JSON.stringify(text)} is refused at offset ${position}`, () => {
    const found = refusal(text)
    assert.match(found.message, message)
    assert.is(found.position, position)
  })

test('length and depth are limited', () => {
  assert.ok(parseExpression(`"${'x'.repeat(mostCharacters - 2)}"`))
  assert.match(refusal(`"${'x'.repeat(mostCharacters)}"`).message, /at most 1024 characters/)
  assert.ok(parseExpression(`${'('.repeat(60)}1${')'.repeat(60)}`))
  assert.match(refusal(`${'('.repeat(65)}1${')'.repeat(65)}`).message, /64 levels/)
})

test.run()
