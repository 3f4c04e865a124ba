import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type ClaimsSchema, checkClaimsSchema } from '../../../src/content/site/claims-schema.ts'
import { Fault } from '../../../src/errors.ts'
import { runs } from '../../support/long-run.ts'
import { claimsSchemas } from './schemas.ts'

const draft = 'http://json-schema.org/draft-07/schema#'
const closed = { additionalProperties: false }
const flag = { type: 'boolean', description: 'Has it.' }
const unsigned = {
  type: 'object',
  description: 'Unsigned claims of the site visitor.',
  properties: { beta: flag },
  ...closed,
}
const root = (properties: unknown, more: object = {}) => ({
  type: 'object',
  properties,
  ...closed,
  ...more,
})
const record = (properties: unknown) => ({
  type: 'object',
  description: 'Parts.',
  properties,
  ...closed,
})

test('a schema with every kind of claim is accepted as it is', () => {
  const schema = root(
    {
      isBeta: flag,
      plan: { type: 'string', enum: ['free', 'pro'], description: '' },
      name: { type: 'string', description: 'Name' },
      seats: { type: 'number', description: 'Seats' },
      'team-roles': {
        type: 'array',
        description: 'Roles',
        items: { type: 'string', enum: ['admin'], description: 'Role' },
      },
      company: record({ size: { type: 'number', description: 'Size' }, unsigned: flag }),
      unsigned,
    },
    { $schema: draft },
  )

  assert.equal(checkClaimsSchema(schema), schema)
  assert.equal(checkClaimsSchema(root({})), root({}))
})

/** Returns records nested in each other, with a claim at this depth. */
const nested = (depth: number): unknown => root({ a: nestedClaim(depth - 1) })
const nestedClaim = (levels: number): unknown =>
  levels === 0 ? flag : record({ a: nestedClaim(levels - 1) })

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, flag]))
const texts = (count: number, length = 5) =>
  Array.from({ length: count }, (_, index) => String(index).padStart(length, 'x'))
const plan = (more: object) => root({ plan: { type: 'string', description: 'Plan', ...more } })

test('the limits can be reached', () => {
  checkClaimsSchema(nested(5))
  checkClaimsSchema(root(many(200)))
  checkClaimsSchema(root({ a: record(many(100)), b: record(many(98)) }))
  checkClaimsSchema(plan({ enum: texts(100, 200) }))
  checkClaimsSchema(plan({ enum: ['😀'.repeat(200)], description: '😀'.repeat(500) }))
  checkClaimsSchema(root({ ['a'.repeat(64)]: flag, _: flag, 'a-b_9': flag }))
})

const refused: [string, unknown, string][] = [
  ['no object', 'text', ''],
  ['null', null, ''],
  ['a list', [], ''],
  ['an empty object', {}, 'type'],
  ['no properties', { type: 'object', ...closed }, 'properties'],
  ['open properties', root({}, { additionalProperties: true }), 'additionalProperties'],
  ['no additionalProperties', { type: 'object', properties: {} }, 'additionalProperties'],
  [
    'another draft',
    root({}, { $schema: 'https://json-schema.org/draft/2020-12/schema' }),
    '$schema',
  ],
  ['a description at the root', root({}, { description: 'x' }), 'description'],
  ['required', root({}, { required: [] }), 'required'],
  ['allOf', root({ a: { ...flag, allOf: [] } }), 'properties.a.allOf'],
  ['$ref', root({ a: { $ref: '#/properties/a' } }), 'properties.a.type'],
  ['pattern', plan({ pattern: '(a+)+$' }), 'properties.plan.pattern'],
  ['no description', root({ a: { type: 'boolean' } }), 'properties.a.description'],
  [
    'a long description',
    root({ a: { ...flag, description: 'x'.repeat(501) } }),
    'properties.a.description',
  ],
  ['an unknown type', root({ a: { type: 'integer', description: 'x' } }), 'properties.a.type'],
  ['a list of types', root({ a: { type: ['boolean'], description: 'x' } }), 'properties.a.type'],
  ['no type', root({ a: { description: 'x' } }), 'properties.a.type'],
  ['a claim that is true', root({ a: true }), 'properties.a'],
  ['an enum of a boolean', root({ a: { ...flag, enum: [true] } }), 'properties.a.enum'],
  ['an empty enum', plan({ enum: [] }), 'properties.plan.enum'],
  ['101 values', plan({ enum: texts(101) }), 'properties.plan.enum'],
  ['equal values', plan({ enum: ['a', 'a'] }), 'properties.plan.enum'],
  ['an empty value', plan({ enum: [''] }), 'properties.plan.enum'],
  ['a number as value', plan({ enum: [1] }), 'properties.plan.enum'],
  ['a long value', plan({ enum: ['x'.repeat(201)] }), 'properties.plan.enum'],
  ['an enum that is a text', plan({ enum: 'a' }), 'properties.plan.enum'],
  ['a list without items', root({ a: { type: 'array', description: 'x' } }), 'properties.a.items'],
  [
    'a list of lists',
    root({
      a: {
        type: 'array',
        description: 'x',
        items: { type: 'array', description: 'x', items: flag },
      },
    }),
    'properties.a.items.type',
  ],
  [
    'items without description',
    root({ a: { type: 'array', description: 'x', items: { type: 'string' } } }),
    'properties.a.items.description',
  ],
  [
    'a record inside that is open',
    root({ a: { ...record({}), additionalProperties: {} } }),
    'properties.a.additionalProperties',
  ],
  ['a wrong name', root({ '1a': flag }), 'properties.1a'],
  ['an empty name', root({ '': flag }), 'properties.'],
  ['a long name', root({ ['a'.repeat(65)]: flag }), `properties.${'a'.repeat(64)}`],
  ['constructor', root({ constructor: flag }), 'properties.constructor'],
  ['prototype', root({ a: record({ prototype: flag }) }), 'properties.a.properties.prototype'],
  [
    '__proto__',
    JSON.parse(
      `{"type":"object","properties":{"__proto__":${JSON.stringify(flag)}},"additionalProperties":false}`,
    ),
    'properties.__proto__',
  ],
  [
    '__proto__ as keyword',
    JSON.parse('{"__proto__":{"type":"object","properties":{},"additionalProperties":false}}'),
    '__proto__',
  ],
  ['unsigned as boolean', root({ unsigned: flag }), 'properties.unsigned.type'],
  [
    'unsigned with another description',
    root({ unsigned: record({}) }),
    'properties.unsigned.description',
  ],
  [
    'six levels',
    nested(6),
    'properties.a.properties.a.properties.a.properties.a.properties.a.properties',
  ],
  ['201 properties', root(many(201)), 'properties'],
  [
    '201 properties in all',
    root({ a: record(many(100)), b: record(many(99)) }),
    'properties.b.properties',
  ],
  [
    '64 KB',
    root(
      Object.fromEntries(
        Array.from({ length: 4 }, (_, index) => [
          `p${index}`,
          { type: 'string', description: 'x', enum: texts(100, 200) },
        ]),
      ),
    ),
    '',
  ],
]
for (const [what, schema, path] of refused)
  test(`a schema with ${what} is refused at "${path}"`, () =>
    assert.is(faultOf(schema).detail?.path, path))

function faultOf(schema: unknown): Fault {
  try {
    checkClaimsSchema(schema)
  } catch (error) {
    assert.instance(error, Fault)
    const { kind, message } = error as Fault
    assert.is(kind, 'invalid')
    assert.ok(message.length < 600 && message.endsWith('.'), message)
    return error as Fault
  }
  return assert.unreachable('no fault was thrown') as never
}

test('deep and large schemas are refused without exhausting the stack', () => {
  let deep: unknown = flag
  for (let level = 0; level < 100_000; level++) deep = { ...record({}), properties: { a: deep } }
  assert.match(faultOf(root({ a: deep })).message, /at most 5 levels/)
  assert.match(faultOf(root(many(100_000))).message, /at most 200 properties/)
  faultOf(root({ a: { ...flag, description: 'x'.repeat(10_000_000) } }))
  faultOf(root({ a: { ...flag, ['x'.repeat(10_000_000)]: 1 } }))
  faultOf(plan({ enum: texts(1_000_000) }))
})

const ajv = new Ajv({ strict: false, validateSchema: false }).addSchema(
  JSON.parse(readFileSync('node_modules/@gitbook/api/spec/openapi.json', 'utf8')),
  'official',
)
const isOfficial = ajv.compile({ $ref: 'official#/components/schemas/SiteAdaptiveJSONSchema' })

test('what is accepted is a valid adaptive schema for the official client', () => {
  fc.assert(
    fc.property(claimsSchemas, schema => {
      const checked: ClaimsSchema = checkClaimsSchema(schema)
      assert.equal(checked, schema)
      assert.ok(isOfficial(JSON.parse(JSON.stringify(checked))), ajv.errorsText(isOfficial.errors))
    }),
    { numRuns: runs(300) },
  )
})

test('any value is a schema or is refused', () => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'additionalProperties',
    'description',
    'enum',
    'items',
    '$ref',
    'a',
  )

  const { value } = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom<unknown>('object', 'string', 'array', 'boolean', false, null, 1),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(keyword, tie('value'), { maxKeys: 5 }),
    ),
  }))

  fc.assert(
    fc.property(
      fc.oneof(
        value,
        value.map(each => root({ a: each })),
      ),
      schema => {
        try {
          checkClaimsSchema(schema)
        } catch (error) {
          assert.instance(error, Fault)
          assert.type((error as Fault).detail?.path, 'string')
        }
      },
    ),
    { numRuns: runs(1500) },
  )
})

test.run()
