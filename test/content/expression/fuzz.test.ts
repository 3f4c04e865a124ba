import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { evaluate } from '../../../src/content/expression/evaluate.ts'
import { parseExpression } from '../../../src/content/expression/parse.ts'
import { Fault } from '../../../src/errors.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'
import { runs } from '../../support/long-run.ts'

const scope = {
  n: 3,
  t: 'Some text',
  l: [1, 'two', true, null, 2.5],
  o: { k: 'v', x: { y: 1 } },
  x: 7,
  i: 1,
  long: 'ab'.repeat(30_000),
}

/** Evaluates a text, and asserts that the result is a value or a fault. */
function attempt(text: string): void {
  try {
    evaluate(parseExpression(text), scope)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    assert.is(error.kind, 'invalid')
  }
}

/** Asserts a limit of 100 ms of CPU time. */
function attemptQuickly(text: string): void {
  const ms = leastCpuTime(() => attempt(text), 100)
  assert.ok(ms < 100, `${ms} ms: ${text}`)
}

test('any text results in a value or a fault, quickly', () => {
  const any = fc.oneof(fc.string({ maxLength: 200 }), anyText({ maxLength: 1100 }))
  fc.assert(fc.property(any, attemptQuickly), { numRuns: runs(500) })
})

test('any sequence of tokens results in a value or a fault, quickly', () => {
  const words =
    'n t l o x i long 1 0 "a" `\x24{ }` ` ( ) [ ] { } . ?. , ; : ? => ... + - * / % ** ! ~ == === < > && || ?? = ++ in typeof void delete new this async await yield function class import super null undefined constructor __proto__ .map( .some(x=> .filter(x=> .join( .split( .replace( .slice( .includes( .sort( .reduce((x,y)=> .repeat( .flat( .concat( /a+/ // /* */ <!-- #p \\u{61} \n'.split(
      ' ',
    )
  const soup = fc
    .array(fc.constantFrom(...words), { maxLength: 60 })
    .map(picked => picked.join(' '))
  const dense = fc
    .array(fc.constantFrom(...words), { maxLength: 60 })
    .map(picked => picked.join(''))
  fc.assert(fc.property(fc.oneof(soup, dense), attemptQuickly), { numRuns: runs(2000) })
})

test('the slowest expressions stop quickly', () => {
  const hostile = [
    'l.map(x=>l.map(x=>l.map(x=>l.map(x=>l.map(x=>l.map(x=>l.map(x=>l.map(x=>long===long+""))))))))',
    'l.map(x=>l.map(x=>l.map(x=>l.map(x=>long.includes("abababababababababababababac")))))',
    'l.map(x=>l.map(x=>l.map(x=>l.map(x=>long.indexOf("c"+long.slice(0,9)))))) ',
    'long.split("a").map(x=>x+x)',
    'l.map(x=>l.map(x=>l.map(x=>l.map(x=>+long))))',
    'l.map(x=>l.map(x=>l.map(x=>l.map(x=>long<long))))',
    'l.map(x=>l.map(x=>l.map(x=>o[long])))',
    `/${'(a+)+'.repeat(150)}$/`,
    `${'9'.repeat(1000)}n`,
    '9**9**9**9',
    `${'a?.'.repeat(300)}a`,
    `${'1+'.repeat(500)}1`,
  ]
  for (const text of hostile) attemptQuickly(text)
})

/** Expressions over `scope` that have the same meaning in JavaScript. */
const { any } = fc.letrec<{ num: string; text: string; bool: string; list: string; any: string }>(
  tie => {
    const join = (parts: (fc.Arbitrary<string> | string)[]): fc.Arbitrary<string> =>
      fc
        .tuple(...parts.map(part => (typeof part === 'string' ? fc.constant(part) : part)))
        .map(p => p.join(''))

    const [num, text, bool, list, any] = [
      tie('num'),
      tie('text'),
      tie('bool'),
      tie('list'),
      tie('any'),
    ]
    const pick = (...of: string[]) => fc.constantFrom(...of)
    const shallow = { depthSize: 'small', maxDepth: 4 } as const
    const literal = fc
      .string({ maxLength: 5 })
      .map(value => JSON.stringify(value.replaceAll('$', '')))
    const arithmetic = pick('+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>', '>>>')

    return {
      num: fc.oneof(
        shallow,
        fc.oneof(fc.integer({ min: 0, max: 99 }).map(String), pick('n', '2.5', 'o.x.y')),
        join(['(', num, ' ', arithmetic, ' ', num, ')']),
        join(['(', pick('-', '+', '~'), ' ', any, ')']),
        join([fc.oneof(text, list), '.length']),
        join([text, '.indexOf(', text, ')']),
        join([list, pick('.indexOf(', '.lastIndexOf('), any, ')']),
        join([list, '.reduce((s, x) => s + (', num, '), ', num, ')']),
        join([list, pick('.findIndex', '.findLastIndex'), '((x, i) => ', any, ')']),
        join(['(', any, ' ? ', num, ' : ', num, ')']),
      ),
      text: fc.oneof(
        shallow,
        fc.oneof(literal, pick('t', 'o.k', 'o["k"]')),
        join(['(', text, ' + ', any, ')']),
        join(['`a${', any, '}b${', text, '}`']),
        join([text, pick('.trim()', '.toUpperCase()', '.toLowerCase()')]),
        join([text, '.slice(', num, ', ', num, ')']),
        join([text, '.replace(', text, ', ', text, ')']),
        join([text, '.charAt(', num, ')']),
        join([text, '.substring(', num, ')']),
        join([text, '.padStart(9, ', text, ')']),
        join([text, '.replaceAll(', text, ', ', text, ')']),
        join(['`a`.concat(', text, ', ', text, ')']),
        join([list, '.join(', text, ')']),
        join(['(typeof ', any, ')']),
      ),
      bool: fc.oneof(
        shallow,
        pick('true', 'false'),
        join(['(', any, ' ', pick('<', '<=', '>', '>=', '==', '!=', '===', '!=='), ' ', any, ')']),
        join(['!', any]),
        join([text, pick('.includes(', '.startsWith(', '.endsWith('), text, ')']),
        join([list, '.includes(', any, ')']),
        join([list, pick('.some', '.every'), '((x, i) => ', any, ')']),
      ),
      list: fc.oneof(
        shallow,
        pick('l', '[]', '[n, t]'),
        join(['[', any, ', ', any, ']']),
        join([list, pick('.map', '.filter'), '((x, i) => ', any, ')']),
        join([list, '.slice(', num, ')']),
        join([text, '.split(', text, ')']),
        join(['[...', list, ', ...', fc.oneof(text, list), ']']),
        join([list, pick('.concat(', '.flatMap(x => '), any, ')']),
        join([text, '.split("").toSorted((x, y) => y < x ? -1 : 1)']),
        join([list, '.toReversed()']),
      ),
      any: fc.oneof(
        shallow,
        pick('null', 'undefined', 'x', 'i', 'o.gone', 'o.gone?.b.c', 'o?.x?.y', '(o.x, n)'),
        num,
        text,
        bool,
        join(['(', any, ' ', pick('&&', '||', '??'), ' ', any, ')']),
        join([list, '.find(x => ', bool, ')']),
        join([fc.oneof(list, text), '.at(', num, ')']),
        join([fc.oneof(list, text), '[', num, ']']),
      ),
    }
  },
)

test('an expression has the value that JavaScript computes', () => {
  let compared = 0
  const names = Object.keys(scope)
  fc.assert(
    fc.property(any, text => {
      const wanted: unknown = new Function(...names, `return (${text})`)(...Object.values(scope))
      let got: unknown
      try {
        got = evaluate(parseExpression(text), scope)
      } catch (error) {
        // JavaScript does not have these limits.
        if (error instanceof Fault && /at most|more than/.test(error.message)) return
        throw error
      }

      compared++
      assert.equal(got, wanted, text)
    }),
    { numRuns: runs(3000) },
  )
  assert.ok(compared > runs(2000), `${compared} compared`)
})

test.run()
