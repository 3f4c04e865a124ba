import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { claimsOf } from '../../../src/content/site/claims.ts'
import {
  type ClaimSchema,
  type ClaimsSchema,
  checkClaimsSchema,
} from '../../../src/content/site/claims-schema.ts'
import { conditionJudge } from '../../../src/content/site/conditions.ts'
import { runs } from '../../support/long-run.ts'
import { claimsSchemas } from './schemas.ts'

const description = 'x'
const record = (properties: Record<string, ClaimSchema>, text = description): ClaimSchema => ({
  type: 'object',
  description: text,
  properties,
  additionalProperties: false,
})
const schema: ClaimsSchema = checkClaimsSchema({
  type: 'object',
  properties: {
    beta: { type: 'boolean', description },
    plan: { type: 'string', enum: ['free', 'pro'], description },
    name: { type: 'string', description },
    seats: { type: 'number', description },
    roles: { type: 'array', description, items: { type: 'string', enum: ['a', 'b'], description } },
    names: { type: 'array', description, items: { type: 'string', description } },
    company: record({
      size: { type: 'number', description },
      inner: record({ on: { type: 'boolean', description } }),
    }),
    unsigned: record(
      { beta: { type: 'boolean', description } },
      'Unsigned claims of the site visitor.',
    ),
  },
  additionalProperties: false,
})
const none = { unsigned: {} }

test('claims that fit the schema are kept', () => {
  const signed = {
    beta: false,
    plan: 'pro',
    name: 'Ada',
    seats: 1.5,
    roles: ['a'],
    names: [],
    company: { size: 1, inner: { on: true } },
  }
  assert.equal(claimsOf(schema, { signed, unsigned: { beta: true } }), {
    ...signed,
    unsigned: { beta: true },
  })
})

test('without a schema or without claims, only empty unsigned claims are left', () => {
  assert.equal(claimsOf(undefined, { signed: { beta: true }, unsigned: { beta: true } }), none)
  assert.equal(claimsOf(schema, {}), none)
  for (const given of [null, 'text', 1, true, [], [{ beta: true }], new Map([['beta', true]])])
    assert.equal(claimsOf(schema, { signed: given, unsigned: given }), none)
})

test('a value that does not fit is left out alone', () => {
  const signed = {
    beta: 'true',
    plan: 'other',
    name: 'x'.repeat(1_001),
    seats: Number.NaN,
    roles: ['a', 'c', 1, null, ['a'], 'b'],
    names: Array(101).fill('x'),
    company: { size: '1', inner: [], more: 1 },
    more: { x: 1 },
  }
  assert.equal(claimsOf(schema, { signed, unsigned: { beta: 1, plan: 'pro' } }), {
    roles: ['a', 'b'],
    company: {},
    unsigned: {},
  })
})

test('unsigned claims of a signed token are ignored', () => {
  assert.equal(claimsOf(schema, { signed: { unsigned: { beta: true } } }), none)
  assert.equal(claimsOf(schema, { unsigned: { plan: 'pro', unsigned: { beta: true } } }), none)
})

test('more than 4 KB of claims count as no claims', () => {
  const names = (count: number) => ({
    signed: { beta: true, names: Array(count).fill('x'.repeat(997)) },
  })
  assert.equal((claimsOf(schema, names(4)).names as string[]).length, 4)
  assert.equal(claimsOf(schema, names(5)), none)
  assert.equal(
    claimsOf(schema, { signed: { beta: true, names: ['é'.repeat(1_000), '日'.repeat(999)] } }),
    none,
  )
})

test('hostile values are left out and touch no prototype', () => {
  const signed = JSON.parse(
    `{"__proto__":{"beta":true},"constructor":{"prototype":{"beta":true}},"company":{"__proto__":{"size":1}},"unsigned":{"admin":true},${Array.from({ length: 10_000 }, (_, at) => `"k${at}":1`).join()},"deep":${'['.repeat(1_000)}${']'.repeat(1_000)},"name":"${'x'.repeat(1_000_000)}"}`,
  )
  const claims = claimsOf(schema, { signed })
  assert.equal(claims, { company: {}, unsigned: {} })
  assert.is(Object.getPrototypeOf(claims.company), Object.prototype)
  assert.is(({} as { beta?: unknown }).beta, undefined)
})

test('inherited values are not claims', () => {
  assert.equal(claimsOf(schema, { signed: Object.create({ beta: true }) }), none)
})

test('a narrower schema removes claims', () => {
  const { plan, unsigned } = schema.properties as Record<string, ClaimSchema>
  const narrow = { ...schema, properties: { plan: plan!, unsigned: unsigned! } }
  assert.equal(claimsOf(narrow, { signed: { plan: 'pro', beta: true } }), {
    plan: 'pro',
    unsigned: {},
  })
})

test('the claims of any token fit the schema, and choosing them twice changes nothing', () => {
  fc.assert(
    fc.property(
      claimsSchemas,
      fc.anything(),
      fc.anything(),
      fc.nat(),
      (of, signed, unsigned, seed) => {
        const given =
          seed % 2
            ? { signed, unsigned }
            : { signed: fill(of.properties, signed), unsigned: fill(of.properties, 1) }
        const claims = claimsOf(of, given)
        assert.ok(Buffer.byteLength(JSON.stringify(claims)) <= 4_096)
        for (const name of Object.keys(claims))
          assert.ok(name === 'unsigned' || Object.hasOwn(of.properties, name), name)
        const { unsigned: again, ...rest } = claims

        assert.equal(claimsOf(of, { signed: rest, unsigned: again }), claims)
        assert.ok(conditionJudge({ claims }).isMet('visitor.claims.unsigned'))
      },
    ),
    { numRuns: runs(500) },
  )
})

/** Returns values for properties, which fit or do not by turns. */
function fill(properties: Readonly<Record<string, ClaimSchema>>, other: unknown): unknown {
  return Object.fromEntries(
    Object.entries(properties).map(([name, each], index) => [
      name,
      index % 4 === 3 ? other : valueFor(each, other),
    ]),
  )
}

function valueFor(of: ClaimSchema, other: unknown): unknown {
  if (of.type === 'object') return fill(of.properties, other)
  if (of.type === 'array') return [valueFor(of.items, other), other]
  if (of.type === 'string') return of.enum?.[0] ?? 'text'
  return of.type === 'boolean' ? true : 1
}

test.run()
