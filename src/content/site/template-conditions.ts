import { mostCharacters } from '../expression/parse.ts'
import type { ClaimSchema, ClaimsSchema } from './claims-schema.ts'

/** A condition that is suggested to authors. */
type TemplateCondition = { description: string; condition: string }

const most = 500

/**
 * Returns the conditions that a schema suggests, depth first: one for each boolean, and one for
 * each value of an enumeration. At most 500; conditions that would be longer than an expression can
 * be are left out.
 */
export function templateConditions(schema: ClaimsSchema): TemplateCondition[] {
  return conditionsBelow(schema.properties, 'visitor.claims')
    .filter(({ condition }) => condition.length <= mostCharacters)
    .slice(0, most)
}

function conditionsBelow(
  properties: Readonly<Record<string, ClaimSchema>>,
  path: string,
): TemplateCondition[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    conditionsOf(schema, memberOf(path, name)),
  )
}

function conditionsOf(schema: ClaimSchema, path: string): TemplateCondition[] {
  const { type, description } = schema
  if (type === 'object') return conditionsBelow(schema.properties, path)
  if (type === 'boolean') return [{ description, condition: `${path} === true` }]

  const perValue = (values: readonly string[] = [], write: (literal: string) => string) =>
    values.map(value => ({
      description: `${description}: ${value}`,
      condition: write(JSON.stringify(value)),
    }))
  if (type === 'string') return perValue(schema.enum, literal => `${path} === ${literal}`)
  if (type === 'array' && schema.items.type === 'string')
    return perValue(schema.items.enum, literal => `${path}.includes(${literal})`)

  return []
}

const memberOf = (path: string, name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`
