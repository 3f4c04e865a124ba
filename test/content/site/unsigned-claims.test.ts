import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { unsignedClaims } from '../../../src/content/site/unsigned-claims.ts'
import { runs } from '../../support/long-run.ts'

/** Returns the claims of a query string. */
const ofQuery = (text: string) => unsignedClaims({ query: new URLSearchParams(text) })

const queries: [string, object][] = [
  ['visitor.beta=true', { beta: true }],
  ['visitor.beta=false&visitor.none=null', { beta: false, none: null }],
  ['visitor.seats=12&visitor.ratio=-1.5e2', { seats: 12, ratio: -150 }],
  ['visitor.plan=pro&visitor.empty=', { plan: 'pro', empty: '' }],
  [
    'visitor.zip=007&visitor.quoted="x"&visitor.big=1e999',
    { zip: '007', quoted: '"x"', big: '1e999' },
  ],
  ['visitor.a.b=1&visitor.a.c=2', { a: { b: 1, c: 2 } }],
  ['visitor.a={"b":[1,{"c":2}]}', { a: { b: [1, { c: 2 }] } }],
  ['visitor.a=[1,', { a: '[1,' }],
  ['visitor.a=1&visitor.a=2', { a: 2 }],
  ['visitor.a=1&visitor.a.b=2', { a: { b: 2 } }],
  ['visitor.a.b=2&visitor.a=1', { a: 1 }],
  ['q=x&visitor=1&visitors.a=1&Visitor.b=1&visitor.=1&visitor..a=1&visitor.a.=1', {}],
  ['visitor.a.b.c.d.e=1', { a: { b: { c: { d: { e: 1 } } } } }],
  ['visitor.a.b.c.d.e.f=1', {}],
  ['visitor.a.b.c.d.e={"f":1}&visitor.x=1', { x: 1 }],
  ['visitor.__proto__.x=1&visitor.a.constructor=1&visitor.prototype=1', {}],
  ['visitor.toString=1&visitor.hasOwnProperty.x=1', { toString: 1, hasOwnProperty: { x: 1 } }],
]
for (const [text, claims] of queries)
  test(`the query ${text} has the claims ${JSON.stringify(claims)}`, () =>
    assert.equal(ofQuery(text), claims))

test('later cookies win over earlier ones, and the query wins over cookies', () => {
  const claims = unsignedClaims({
    cookies: ['{"a":{"x":1,"y":1},"b":1,"c":[1]}', '{"a":{"y":2},"c":[2]}'],
    query: new URLSearchParams('visitor.a.x=3&visitor.b=3'),
  })
  assert.equal(claims, { a: { x: 3, y: 2 }, b: 3, c: [2] })
})

test('cookies that are not JSON objects are left out', () => {
  for (const cookie of ['', 'text', '{', '1', 'null', '[1]', '"x"', '{"a":1}x'])
    assert.equal(unsignedClaims({ cookies: [cookie, '{"b":1}'] }), { b: 1 })
})

test('deep parts of a cookie are left out', () => {
  assert.equal(
    unsignedClaims({ cookies: ['{"a":{"b":{"c":{"d":{"e":{"f":1},"g":[]}}}},"h":[[[[[1]]]]]}'] }),
    {
      a: { b: { c: { d: {} } } },
      h: [[[[]]]],
    },
  )
})

test('a text over 4 KB is left out, and more than 4 KB in all are no claims', () => {
  const long = 'x'.repeat(4_000)
  assert.equal(
    unsignedClaims({ cookies: [JSON.stringify({ a: 'x'.repeat(100_000) }), '{"b":1}'] }),
    { b: 1 },
  )

  assert.equal(
    unsignedClaims({
      query: [
        ['visitor.a', 'x'.repeat(5_000)],
        ['visitor.b', '1'],
      ],
    }),
    { b: 1 },
  )
  assert.equal(ofQuery(`visitor.${'a.'.repeat(5_000)}b=1&visitor.b=1`), { b: 1 })
  assert.equal(unsignedClaims({ cookies: [JSON.stringify({ a: long })] }), { a: long })
  assert.equal(
    unsignedClaims({ cookies: [JSON.stringify({ a: long }), JSON.stringify({ b: long })] }),
    {},
  )
})

test('hostile cookies and queries touch no prototype', () => {
  const claims = unsignedClaims({
    cookies: [
      '{"__proto__":{"admin":true},"a":{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":1}}}}',
    ],
    query: new URLSearchParams(
      'visitor.__proto__.admin=1&visitor.a.__proto__.admin=1&visitor.b={"__proto__":{"admin":1}}',
    ),
  })

  assert.equal(claims, { a: {}, b: {} })
  assert.is(({} as { admin?: unknown }).admin, undefined)
  assert.equal(unsignedClaims({ cookies: [`{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`] }), {
    a: [[[[]]]],
  })
})

test('what is read back from its own JSON is unchanged', () => {
  const name = fc.oneof(
    fc.string(),
    fc.constantFrom('visitor.a', 'visitor.a.b', 'visitor.b.a.a', 'visitor.__proto__.a'),
  )
  const value = fc.oneof(fc.string(), fc.json({ maxDepth: 7 }))
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), fc.array(value), (query, cookies) => {
      const claims = unsignedClaims({ query, cookies })
      const text = JSON.stringify(claims)
      assert.ok(Buffer.byteLength(text) <= 4_096)
      assert.not.match(text, /"(?:__proto__|constructor|prototype)":/)
      assert.equal(unsignedClaims({ cookies: [text] }), JSON.parse(text))
    }),
    { numRuns: runs(800) },
  )
})

test.run()
