import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { claimsOf } from '../../../src/content/site/claims.ts'
import { checkClaimsSchema } from '../../../src/content/site/claims-schema.ts'
import { checkCondition, conditionJudge } from '../../../src/content/site/conditions.ts'
import { templateConditions } from '../../../src/content/site/template-conditions.ts'
import { runs } from '../../support/long-run.ts'
import { claimsSchemas } from './schemas.ts'

const closed = { additionalProperties: false }
const primitives = {
  beta: { type: 'boolean', description: 'Beta tester' },
  plan: { type: 'string', enum: ['free', 'pro "x"'], description: 'Plan' },
  name: { type: 'string', description: 'Name' },
  seats: { type: 'number', description: 'Seats' },
}
const schema = checkClaimsSchema({
  type: 'object',
  properties: {
    ...primitives,
    roles: {
      type: 'array',
      description: 'Roles',
      items: { type: 'string', enum: ['admin'], description: 'Role' },
    },
    flags: { type: 'array', description: 'Flags', items: { type: 'boolean', description: 'Flag' } },
    tags: { type: 'array', description: 'Tags', items: { type: 'string', description: 'Tag' } },
    'big-company': {
      type: 'object',
      description: 'Company',
      properties: { class: primitives.beta },
      ...closed,
    },
    unsigned: {
      type: 'object',
      description: 'Unsigned claims of the site visitor.',
      properties: { beta: primitives.beta },
      ...closed,
    },
  },
  ...closed,
})

test('booleans and values of enumerations become conditions, depth first', () => {
  assert.equal(templateConditions(schema), [
    { description: 'Beta tester', condition: 'visitor.claims.beta === true' },
    { description: 'Plan: free', condition: 'visitor.claims.plan === "free"' },
    { description: 'Plan: pro "x"', condition: 'visitor.claims.plan === "pro \\"x\\""' },
    { description: 'Roles: admin', condition: 'visitor.claims.roles.includes("admin")' },
    { description: 'Beta tester', condition: 'visitor.claims["big-company"].class === true' },
    { description: 'Beta tester', condition: 'visitor.claims.unsigned.beta === true' },
  ])
})

test('at most 500 conditions are suggested', () => {
  const values = Array.from({ length: 100 }, (_, index) => `v${index}`)
  const names = Array.from({ length: 6 }, (_, index) => `p${index}`)
  const large = checkClaimsSchema({
    type: 'object',
    properties: Object.fromEntries(
      names.map(name => [name, { type: 'string', enum: values, description: name }]),
    ),
    ...closed,
  })
  const conditions = templateConditions(large)

  assert.is(conditions.length, 500)
  assert.is(conditions.at(-1)?.condition, 'visitor.claims.p4 === "v99"')
})

test('every suggested condition is valid, and met by the visitors that it describes', () => {
  fc.assert(
    fc.property(claimsSchemas, of => {
      const checked = checkClaimsSchema(of)
      for (const { condition, description } of templateConditions(checked)) {
        checkCondition(condition, 'visitor')
        assert.type(description, 'string')
        const { isMet } = conditionJudge({ claims: claimsOf(checked, {}) })
        assert.not(isMet(condition), condition)
      }
    }),
    { numRuns: runs(400) },
  )
})

test('a visitor with the claims meets the conditions', () => {
  const claims = claimsOf(schema, {
    signed: { beta: true, plan: 'pro "x"', roles: ['admin'], 'big-company': { class: true } },
    unsigned: { beta: true },
  })
  const { isMet } = conditionJudge({ claims })
  const unmet = templateConditions(schema).filter(({ condition }) => !isMet(condition))
  assert.equal(
    unmet.map(({ description }) => description),
    ['Plan: free'],
  )
})

test.run()
