import fc from 'fast-check'
import type { ClaimSchema, ClaimsSchema } from '../../../src/content/site/claims-schema.ts'

const description = fc.string({ unit: 'grapheme', maxLength: 20 })
const name = fc
  .oneof(
    fc.constantFrom('plan', 'roles', 'a-b', '_x', 'class', 'in', 'length', 'toString', 'unsigned'),
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/),
  )
  .filter(text => !['__proto__', 'constructor', 'prototype'].includes(text))
const value = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.constantFrom('a"b', "it's", '\\', '`\x24{x}`', '\u2028', '\n', '\u0000'.repeat(200)),
)
const values = fc.uniqueArray(value, { minLength: 1, maxLength: 5 })

const primitive = fc.oneof(
  fc.record({ type: fc.constant('boolean' as const), description }),
  fc.record({ type: fc.constant('number' as const), description }),
  fc.record({ type: fc.constant('string' as const), description }),
  fc.record({ type: fc.constant('string' as const), enum: values, description }),
)
const closed = { additionalProperties: fc.constant(false as const) }

/** Returns claims with at most this many levels of records below them. */
function claim(levels: number): fc.Arbitrary<ClaimSchema> {
  const flat: fc.Arbitrary<ClaimSchema> = fc.oneof(
    primitive,
    fc.record({ type: fc.constant('array' as const), description, items: primitive }),
  )
  return levels === 0
    ? flat
    : fc.oneof({ weight: 3, arbitrary: flat }, { weight: 1, arbitrary: record(levels) })
}

const record = (
  levels: number,
  text: fc.Arbitrary<string> = description,
): fc.Arbitrary<ClaimSchema> =>
  fc.record({
    type: fc.constant('object' as const),
    description: text,
    properties: fc.dictionary(name, claim(levels - 1), { maxKeys: 4, noNullPrototype: true }),
    ...closed,
  })

/** Valid adaptive schemas, with awkward names and values. */
export const claimsSchemas: fc.Arbitrary<ClaimsSchema> = fc
  .record({
    properties: fc.dictionary(
      name.filter(text => text !== 'unsigned'),
      claim(4),
      { maxKeys: 6, noNullPrototype: true },
    ),
    unsigned: fc.option(record(3, fc.constant('Unsigned claims of the site visitor.')), {
      nil: undefined,
    }),
  })
  .map(({ properties, unsigned }) => ({
    type: 'object' as const,
    properties: { ...properties, ...(unsigned && { unsigned }) },
    additionalProperties: false as const,
  }))
  // Records of fast-check may be without a prototype.
  .map(schema => JSON.parse(JSON.stringify(schema)))
