import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { evaluate } from '../../../src/content/expression/evaluate.ts'
import { type Expression, parseExpression } from '../../../src/content/expression/parse.ts'
import { Fault } from '../../../src/errors.ts'

const scope = JSON.parse(
  '{"a":[1,2,3],"s":"Hello","o":{"x":{"y":1},"none":null,"":0},"people":[{"id":"una","ok":true},{"id":"duo"}]}',
)
const run = (text: string, of: Record<string, unknown> = scope) =>
  evaluate(parseExpression(text), of)

/**
 * Returns the message of the fault, which must be one that the caller can act on and that names a
 * position.
 */
function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    assert.instance(error, Fault)
    const { kind, message, detail } = error as Fault
    assert.is(kind, 'invalid')
    assert.type(detail?.position, 'number')
    assert.ok(message.length < 200, message)
    return message
  }

  assert.unreachable('no fault was thrown')
  return ''
}

const values: Record<string, unknown> = {
  '1 + 2 * 3 ** 2 % 5': 1 + ((2 * 3 ** 2) % 5),
  '"1" + 1 + null + true + undefined': '11nulltrueundefined',
  '1 + true + null': 2,
  '-"3" - +"4"': -7,
  '~5 | 8 & 12 ^ 1 << 3 >> 1 >>> 0': ~5 | ((8 & 12) ^ (((1 << 3) >> 1) >>> 0)),
  '`${s}, ${a.length} ${`in`}`': 'Hello, 3 in',
  'a[1] === 2 && s[0] === "H" && o["x"].y === 1': true,
  'a.some((x, i) => x === 3 && i === 2)': true,
  'a.every(x => x > 1) || a.find(x => x > 1)': 2,
  'a.map((x, i) => a.filter(y => y > x).length * i)': [0, 1, 0],
  'people.filter(p => p.ok).map(p => p.id).join(" ")': 'una',
  'people.some(s => s.id === "duo") && s': 'Hello',
  '2 in a': true,
  '0 in a': false,
  '"x" in o': true,
  '"toString" in o': false,
  '[1, "two", [3]]': [1, 'two', [3]],
  '({a: 1, "b c": 2, 3: s}["b c"])': 2,
  's ? a.length > 3 ? 1 : 2 : 3': 2,
  '(1, 2)': 2,
  'typeof s + typeof a + typeof gone + void 0': 'stringobjectundefinedundefined',
  'gone ?? o.none ?? "else"': 'else',
  'gone?.b.c.includes("x")': undefined,
  '(gone?.b).c': undefined,
  'o?.x?.["y"]': 1,
  's?.toUpperCase().slice(1, -1).replace("L", "$&") ': 'E$&L',
  '"a,b".split(",").at(-1) + " b ".trim() + s.charAt(1) + s.at(-1)': 'bbeo',
  's.startsWith("He") && s.endsWith("lo") && s.includes("ll") && s.indexOf("l") === 2': true,
  'a.includes(2) && a.indexOf(9) === -1 && a.slice(1).length === 2 && a.at(-1) === 3': true,
  '[NaN].includes(NaN)': true,
  'null == undefined && "1" == 1 && true == 1 && !(a == null) && a == a && [] !== []': true,
  '"b" > "a" && "10" > 9 && !(undefined > 1)': true,
  's // what it says': 'Hello',
  '[...a, 4, ..."hé"]': [1, 2, 3, 4, 'h', 'é'],
  '({n: 0, ...o.x, ...gone, y: 2}).y + ({...o.x}).y': 3,
  '"a1b".substring(2, 0) + s.padStart(7, "*").repeat(2) + s.lastIndexOf("l")': 'a1**Hello**Hello3',
  '"a-b-c".replaceAll("-", "$&").concat(1, null) + "x".padEnd(3) + "|"': 'a$&b$&c1nullx  |',
  '" a ".trimStart() + " b ".trimEnd() + "c".charCodeAt(0) + "d".codePointAt(0)': 'a  b99100',
  '"abca".includes("a", 1) && "abca".indexOf("a", 1) === 3 && "abca".startsWith("b", 1)': true,
  '"a,b,c".split(",", 2).concat([1], 2).flat().join("")': 'ab12',
  '(2.5).toFixed(2) + true.toString() + (5).toString()': '2.50true5',
  '[3, 1, 2].sort().join() + [3, 1, 2].toSorted((x, y) => y - x) .join() + a.reverse().join() + a.join()':
    '1,2,33,2,13,2,11,2,3',
  'a.reduce((sum, x, i) => sum + x * i) + a.reduceRight((all, x) => all + x, "")': '9321',
  'a.flatMap(x => [x, x]).lastIndexOf(2) + a.findIndex(x => x > 1) + a.findLast(x => x < 3) + a.findLastIndex(x => x > 9)': 5,
  '[[1, [2]], 3].flat().length + [[1, [2]], 3].flat(2).length': 6,
}

for (const [text, wanted] of Object.entries(values)) {
  test(`worth: ${text}`, () => assert.equal(run(text), wanted))
}

test('an object literal has no prototype, and "__proto__" is an ordinary key', () => {
  assert.is(run('({__proto__: 1}).__proto__'), 1)
  assert.is(run('({}).toString'), undefined)
  assert.is(({} as Record<string, unknown>).polluted, undefined)
})

test('only own keys of plain data can be read', () => {
  for (const text of [
    's.constructor',
    'a.__proto__',
    'o.__proto__',
    'o["constructor"]',
    'constructor',
    'process',
  ])
    assert.is(run(text), undefined, text)

  for (const text of [
    'a["push"]',
    'a.map',
    's.at',
    'globalThis',
    'Math',
    'gone.b.c',
    'a[-1]',
    'a["01"]',
    '(5).x',
  ])
    assert.is(run(text), undefined, text)

  let asked = 0
  const strange = {
    get secret() {
      return ++asked
    },
    list: Object.defineProperty([1], '0', { get: () => ++asked }),
    made: () => 1,
    date: new Date(0),
    map: new Map([['a', 1]]),
    symbol: Symbol('a'),
    big: 1n,
    __proto__: { inherited: 1 },
  }

  for (const name of [
    'secret',
    'list[0]',
    'list.slice()[0]',
    'made',
    'date',
    'map',
    'symbol',
    'big',
    'inherited',
  ])
    assert.is(run(name, strange), undefined, name)

  assert.is(asked, 0)
  assert.is(run('__proto__', JSON.parse('{"__proto__":"own"}')), 'own')
})

const refused: Record<string, string> = {
  'constructor.constructor("return process")()': 'a named method, at character 1',
  's.constructor("return 1")': 'no method "constructor", at character 3',
  'a.map(x => x)["constructor"]("x")': 'a named method',
  'a.push(1)': 'no method "push"',
  's.replace(/l/g, "")': 'a regular expression, at character 11',
  's.hasOwnProperty("x")': 'no method',
  's.__proto__()': 'no method "__proto__"',
  'Math.max(1)': 'no method "max"',
  'f()': 'a named method',
  '(x => x)(1)': 'a named method',
  'a.at?.(1)': 'before the method name',
  'a = 1': 'an assignment',
  'o.x++': '"++" or "--"',
  'delete o.x': '"delete"',
  'a instanceof o': '"instanceof"',
  'new Date()': '"new"',
  'this.a': '"this"',
  'x => x': 'a function',
  'a.map(function (x) { return x })': '"map" takes a function such as',
  'a.map(x => { return x })': '"map" takes a function such as',
  'a.map(async x => x)': '"map" takes a function such as',
  'a.map(s)': '"map" takes a function such as',
  'a.map((x = 1) => x)': 'plain names, at character 8',
  'a.map(({x}) => x)': 'plain names',
  'a.map((...x) => x)': 'plain names',
  'a.map((x, y, z) => z)': 'the item and its index',
  'a.join(1, 2)': '"join" takes 0 to 1',
  'a.includes()': '"includes" takes 1',
  'a.at(...a)': '"..."',
  '({get x() { return 1 }})': 'names and values',
  '({[s]: 1})': 'names and values',
  '[,1]': 'a list with a gap',
  '/(a+)+$/.test("aaaa!")': 'a regular expression, at character 1.',
  'a || /((': 'a regular expression, at character 6.',
  '1n': 'ends in "n"',
  's`x`': 'a template with a tag',
  'import("fs")': '"import"',
  'import.meta': '"import"',
  'await a': '"await"',
  'class {}': 'a class',
  '1; 2': 'Unexpected text after the expression, at character 2',
  '1) + (2': 'Unexpected text after the expression, at character 2',
  'if (a) s': 'Unexpected token, at character 1.',
  '1 +': 'Unexpected token, at character 4.',
  '"open': 'Unterminated string constant, at character 1.',
  '  ': 'The expression is empty',
}

for (const [text, sentence] of Object.entries(refused)) {
  test(`refused: ${text}`, () => {
    const message = refusal(() => parseExpression(text))
    assert.ok(message.includes(sentence), message)
  })
}

const failing: Record<string, string> = {
  'gone.includes("x")': '"includes" cannot be called on nothing, at character 1.',
  '!gone.some(x => x)': '"some" cannot be called on nothing, at character 2.',
  's.some(x => x)': '"some" cannot be called on a text',
  'o.map(x => x)': '"map" cannot be called on a record',
  'a.trim()': '"trim" cannot be called on a list',
  's.includes(1)': 'This argument must be a text, not a number',
  's.slice("1")': 'This argument must be a number, not a text',
  'a + 1': '"+" cannot take a list',
  '`${o}`': 'A template cannot take a record',
  '-a': '"-" cannot take a list',
  'a == "1,2,3"': '"==" cannot compare a list and a text',
  'o < 1': '"<" cannot take a record',
  '[a].join()': '"join" cannot take a list',
  'o[a]': 'A key must be a text or a number, not a list',
  '[].reduce((x, y) => x)': 'An empty list needs an initial value',
  '[...gone]': '"..." cannot take nothing',
  '({...s})': '"..." cannot take a text here',
  '(1).toFixed(101)': '0 to 100 decimal places',
  '"a".repeat(-1)': 'a negative number of times',
  '[[1]].sort()': '"sort" cannot take a list',
  '"e" in s': '"in" needs a list or a record on its right, not a text',
}

for (const [text, sentence] of Object.entries(failing)) {
  test(`fails: ${text}`, () => {
    const message = refusal(() => run(text))
    assert.ok(message.includes(sentence), message)
  })
}

test('expressions that are too long or nested too deeply are refused', () => {
  assert.match(
    refusal(() => parseExpression('1'.repeat(1e6))),
    'at most 1024 characters',
  )

  assert.match(
    refusal(() => parseExpression('('.repeat(10_000))),
    'at most 1024 characters',
  )

  const pairs: [string, string][] = [
    ['(', ')'],
    ['[', ']'],
    ['a.map(x=>', ')'],
    ['{a:', '}'],
    ['!', ''],
    ['a?1:', ''],
    ['1**', ''],
    ['`${', '}`'],
  ]

  for (const [open, close] of pairs) {
    const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
    assert.match(
      refusal(() => parseExpression(nested(70))),
      'at most 64 levels deep',
      open,
    )
    assert.ok(parseExpression(nested(20)), open)
  }

  for (const open of ['(', '[', '!', '{a:', '-', '`${', 'a=>', 'a?']) {
    const deep = open.repeat(1000 / open.length)
    refusal(() => parseExpression(deep))
    refusal(() => parseExpression(`${deep}1`))
  }

  assert.match(
    refusal(() => parseExpression(`${'('.repeat(500)}1${')'.repeat(500)}`)),
    'at most 64 levels deep',
  )
})

test('an evaluation stops at its limits', () => {
  const long: Record<string, unknown> = {
    big: 'a'.repeat(1e6),
    half: 'b'.repeat(60_000),
    list: Array(20_000).fill(1),
  }
  const steps = 'more than 10000 steps'
  const nested = (times: number): string =>
    times === 0 ? '1' : `list.map(x => ${nested(times - 1)})`
  const cases: Record<string, string> = {
    'list.some(x => x > 1)': steps,
    'list.map(x => list)': steps,
    'list.includes(2)': steps,
    'list.join()': steps,
    'list.slice(1)': steps,
    [nested(8)]: steps,
    'big.includes("b")': steps,
    'big.split("")': steps,
    'half.split("").length': steps,
    'big.toUpperCase()': steps,
    'big === half || +big': steps,
    'half + half': 'more than 100000 characters',
    '`${half}${half}`': 'more than 100000 characters',
    '"a".repeat(1e9)': 'more than 100000 characters',
    '"a".repeat(1 / 0) || "a".padEnd(1 / 0)': 'more than 100000 characters',
    'half.padEnd(1e8)': 'more than 100000 characters',
    '"bbbb".replaceAll("b", half)': 'more than 100000 characters',
    '[...list]': steps,
    'list.sort()': steps,
    'list.toSorted((x, y) => x - y)': steps,
    'list.reduce((x, y) => x + y)': steps,
    'list.flat()': steps,
    'list.concat(list)': steps,
    '[half, half].join("")': 'more than 100000 characters',
    '[1, 2].map(x => half.toUpperCase())': 'more than 100000 characters',
    '[1,2,3,4,5,6,7,8].map(x => [1,2,3,4].map(y => "0123456789".replace("5", half)))':
      'more than 1',
  }

  for (const [text, sentence] of Object.entries(cases)) {
    const message = refusal(() => run(text, long))
    assert.ok(message.includes(sentence), `${text}: ${message}`)
  }

  const few = { steps: 3, characters: 2 }

  assert.match(
    refusal(() => evaluate(parseExpression('1 + 1 + 1'), {}, few)),
    'more than 3 steps, at character 5',
  )

  assert.match(
    refusal(() => evaluate(parseExpression('"ab" + "c"'), {}, few)),
    'more than 2 characters of text',
  )
  assert.is(evaluate(parseExpression('"a" + "c"'), {}, few), 'ac')
})

test('a parsed expression lists the names that it takes from its scope', () => {
  const names = ({ freeNames }: Expression) => freeNames.map(({ name, at }) => `${name}@${at}`)
  assert.equal(names(parseExpression('a.some(x => x.b === y && undefined) + x')), [
    'a@0',
    'y@20',
    'x@38',
  ])
})

test.run()
