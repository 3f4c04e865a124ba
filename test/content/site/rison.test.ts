import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readRison } from '../../../src/content/site/rison.ts'
import { Fault } from '../../../src/errors.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

const values: [string, unknown][] = [
  ['(plan:pro,roles:!(a,b),beta:!t)', { plan: 'pro', roles: ['a', 'b'], beta: true }],
  ['()', {}],
  ['!()', []],
  ['!t', true],
  ['!f', false],
  ['!n', null],
  ['0', 0],
  ['-1.5e-2', -0.015],
  ['1e3', 1000],
  ['a', 'a'],
  ['a-b.c/d', 'a-b.c/d'],
  ["''", ''],
  ["'a b'", 'a b'],
  ["'it!'s !!'", "it's !"],
  ["('a b':(c:!((d:1),'')))", { 'a b': { c: [{ d: 1 }, ''] } }],
  ['日本語', '日本語'],
  ['(a:1,a:2)', { a: 2 }],
  ['(id:!n,type:/common/document)', { id: null, type: '/common/document' }],
]
for (const [text, value] of values)
  test(`${text} is read`, () => assert.equal(readRison(text), value))

const refused: [string, number][] = [
  ['', 0],
  ['(', 1],
  ['(a', 2],
  ['(a:', 3],
  ['(a:1', 4],
  ['(a:1,)', 5],
  ['!(1,)', 4],
  ['!(,1)', 2],
  ['!', 0],
  ['!x', 0],
  ['(a:!x)', 3],
  ["'a", 0],
  ["'a!b'", 0],
  ["'a!", 0],
  ['(a:1)b', 5],
  ['01', 1],
  ['1.', 1],
  ['-', 0],
  ['1e999', 0],
  ['1a', 1],
  ['a b', 1],
  ['{"a":1}', 4],
  ['(1:2)', 1],
]
for (const [text, position] of refused)
  test(`${JSON.stringify(text)} is refused at character ${position + 1}`, () => {
    const { kind, detail, message } = faultOf(text)
    assert.equal([kind, detail], ['invalid', { position }], message)
    assert.match(message, new RegExp(`, at character ${position + 1}\\.$`))
  })

function faultOf(text: string): Fault {
  try {
    readRison(text)
  } catch (error) {
    assert.instance(error, Fault)
    return error as Fault
  }
  return assert.unreachable('no fault was thrown') as never
}

test('size and depth are limited', () => {
  assert.match(faultOf('!('.repeat(17)).message, /at most 16 levels/)
  assert.match(faultOf('(a:'.repeat(2_000)).message, /at most 16 levels/)
  assert.match(faultOf('!('.repeat(100_000)).message, /at most 8192 characters/)
  assert.equal(
    readRison(`${'!('.repeat(16)}1${')'.repeat(16)}`),
    JSON.parse(`${'['.repeat(16)}1${']'.repeat(16)}`),
  )
})

test('no prototype is touched', () => {
  const value = readRison('(__proto__:(admin:!t),constructor:(prototype:(admin:!t)),a:1)') as object
  assert.equal(value, { a: 1 })
  assert.is(Object.getPrototypeOf(value), Object.prototype)
  assert.is(({} as { admin?: unknown }).admin, undefined)
})

/** Writes a JSON value in Rison. */
function write(value: unknown): string {
  if (value === null) return '!n'
  if (typeof value === 'boolean') return value ? '!t' : '!f'
  if (typeof value === 'number') return String(value).replace('e+', 'e')
  if (typeof value === 'string') return writeText(value)
  if (Array.isArray(value)) return `!(${value.map(write).join(',')})`
  return `(${Object.entries(value as object)
    .map(([key, item]) => `${writeText(key)}:${write(item)}`)
    .join(',')})`
}

const writeText = (text: string): string =>
  /^[^-0-9 '!:(),*@$][^ '!:(),*@$]*$/.test(text) ? text : `'${text.replace(/['!]/g, '!$&')}'`

test('every JSON value is read back', () => {
  const json = fc
    .jsonValue({ maxDepth: 5, stringUnit: 'grapheme' })
    .filter(
      value =>
        !/"(?:__proto__|constructor|prototype)":|-0/.test(JSON.stringify(value)) &&
        !hasMinusZero(value),
    )
  fc.assert(
    fc.property(json, value => {
      const text = write(value)
      if (text.length <= 8_192) assert.equal(readRison(text), value)
    }),
    { numRuns: runs(1000) },
  )
})

function hasMinusZero(value: unknown): boolean {
  if (Object.is(value, -0)) return true
  return value !== null && typeof value === 'object' && Object.values(value).some(hasMinusZero)
}

test('any text is a value or is refused', () => {
  const soup = fc
    .array(fc.constantFrom(..."!('),:atfn0-1.e\\ ".split('')), { maxLength: 30 })
    .map(all => all.join(''))
  fc.assert(
    fc.property(fc.oneof(soup, fc.string(), anyText()), text => {
      try {
        readRison(text)
      } catch (error) {
        assert.instance(error, Fault)
      }
    }),
    { numRuns: runs(2000) },
  )
})

test.run()
