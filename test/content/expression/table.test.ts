import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageScope } from '../../../src/content/evaluate/evaluator.ts'
import { isConditionMet } from '../../../src/content/evaluate/page.ts'
import { evaluateMarkdown } from '../../support/evaluate-markdown.ts'

// The expressions of the content format, row by row: syntax, library, output, conditions.

const scope = pageScope(
  { text: 'Some text', n: 7, yes: true },
  { own: 'p' },
  { list: ['a', 'b'], nested: { deep: 1 }, unsigned: { beta: true } },
)
const shown = (expression: string) =>
  evaluateMarkdown(`<code class="expression">${expression}</code>`, scope, 'all')

const accepted: Record<string, string> = {
  '"a" + 1 + true + null': 'a1truenull',
  '`v\x24{space.vars.n}`': 'v7',
  '[1, ...[2, 3]].length + ({ a: 1, ...{ b: 2 } }).b': '5',
  '7 + 3 - 2 * 4 / 8 % 3 ** 2': '9',
  '(6 & 3) + (6 | 3) + (6 ^ 3) + (1 << 4) + (-8 >> 1) + (8 >>> 1)': '30',
  '!0 + -1 + ~1 + typeof 1 + void 0': '-2numberundefined',
  'null ?? "else"': 'else',
  '(1, 2)': '2',
  'space.vars.text + space["vars"]["text"].length': 'Some text9',
  'visitor.claims.list.map(x => x.toUpperCase()).filter(x => x !== "A").some(x => x === "B")':
    'true',
  'visitor.claims.list.every(x => x.length === 1)': 'true',
  '"a" in visitor.claims.list': 'true',
  '"deep" in visitor.claims.nested': 'true',
  '1 == "1" && 1 != 2 && 1 === 1 && 1 !== "1" && 1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3 ? "all" : "none"':
    'all',
  'space.vars.gone || page.vars.own': 'p',
  '"Abc".at(0) + "Abc".startsWith("A") + "Abc".endsWith("c") + "Abc".includes("b")':
    'Atruetruetrue',
  '"Abc".toLowerCase() + "Abc".toUpperCase() + " b ".trim() + "Abc".length': 'abcABCb3',
  '[1, 2].length + [1, 2].at(-1) + [1].includes(1)': '5',
  '"a-b".charAt(1) + "a-b".slice(1) + "a-b".replace("-", "+") + "a-b".split("-").length': '--ba+b2',
  // Not part of the format, and null-safe like everything else.
  'visitor?.claims?.gone?.deep ?? "none"': 'none',
}
for (const [expression, wanted] of Object.entries(accepted)) {
  const escaped = expression.replaceAll('&', '&#x26;').replaceAll('<', '&#x3C;')
  test(`accepted: ${expression}`, () =>
    assert.is(shown(escaped).replace(/\\(?=[!-/:-@[-`{-~])/g, ''), wanted))
}

const nothing = [
  ...[
    'Math',
    'Date',
    'JSON',
    'String',
    'parseInt',
    'NaN',
    'Infinity',
    'globalThis',
    'process',
    'gone',
  ],
  ...['space.constructor', 'space.__proto__', 'space.vars.text.constructor', '[].__proto__'],
  ...['visitor.claims.missing.deep.deeper', 'null', 'undefined', '[1]', '({})'],
]
for (const expression of nothing)
  test(`nothing: ${expression}`, () => assert.is(shown(expression), ''))

const failing = [
  ...[
    'a = 1',
    'space.vars.n++',
    'delete space.vars',
    'new Date()',
    'this',
    'import("fs")',
    'class {}',
  ],
  ...[
    'tag`x`',
    'for (;;) {}',
    '1; 2',
    '/(a+)+$/.test("a")',
    'Math.max(1, 2)',
    'visitor.claims.list.push(1)',
  ],
  ...[
    'constructor.constructor("return process")()',
    '"a".repeat(1e9)',
    '"é".localeCompare("f")',
    '1 +',
  ],
]
for (const expression of failing) {
  test(`failing: ${expression}`, () => {
    const read = shown(expression)
      .replaceAll('&#96;', '`')
      .replace(/\\(?=[!-/:-@[-`{-~])/g, '')
    assert.is(read, `{{${expression}}}`)
    assert.is(isConditionMet(expression, scope, 'all'), false)
    assert.is(isConditionMet(`!(${expression})`, scope, 'all'), false)
  })
}

test('a missing claim hides content', () => {
  assert.is(isConditionMet('visitor.claims.missing.deep', scope, 'all'), false)
  assert.is(isConditionMet('visitor.claims.unsigned.beta', scope, 'all'), true)
  assert.is(isConditionMet('visitor.claims.nested', scope, 'all'), true)
})

test('one expression cannot change a list that the next one reads', () => {
  const text =
    '<code class="expression">visitor.claims.list.reverse().join("") + visitor.claims.list.join("")</code>'
  assert.is(evaluateMarkdown(text + text, scope, 'all'), 'baabbaab')
})

test.run()
