import type { ClaimSchema, ClaimsSchema } from './claims-schema.ts'

/** The claims of a reader, as expressions see them in `visitor.claims`. */
export type Claims = { unsigned: Readonly<Record<string, unknown>>; [name: string]: unknown }

/** Claims as they arrived: `signed` from a verified token, `unsigned` from anywhere else. */
type GivenClaims = { signed?: unknown; unsigned?: unknown }

const longestText = 1_000
const mostItems = 100
const mostBytes = 4_096

/**
 * Returns the claims that a schema names. Values that do not fit it are left out one by one, and
 * `unsigned` of a token is ignored. Without a schema, or if the rest has more than 4 KB as JSON,
 * there are none: `{ unsigned: {} }`.
 */
export function claimsOf(
  schema: ClaimsSchema | undefined,
  { signed, unsigned }: GivenClaims,
): Claims {
  if (!schema) return { unsigned: {} }
  const { unsigned: ofUnsigned, ...ofSigned } = schema.properties
  const claims: Claims = {
    ...fittingRecord(ofSigned, signed),
    unsigned:
      (ofUnsigned?.type === 'object' && fittingRecord(ofUnsigned.properties, unsigned)) || {},
  }
  return Buffer.byteLength(JSON.stringify(claims)) > mostBytes ? { unsigned: {} } : claims
}

/** Returns the properties of a record that fit, with own keys only; undefined for other values. */
function fittingRecord(
  properties: Readonly<Record<string, ClaimSchema>>,
  given: unknown,
): Record<string, unknown> | undefined {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return undefined
  const record = given as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => Object.hasOwn(record, name))
      .map(([name, schema]) => [name, fitting(schema, record[name])])
      .filter(([, value]) => value !== undefined),
  )
}

/** Returns the part of a value that fits a schema; undefined if there is none. */
function fitting(schema: ClaimSchema, value: unknown): unknown {
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'number':
      return Number.isFinite(value) ? value : undefined
    case 'string': {
      const fits = typeof value === 'string' && value.length <= longestText
      return fits && (!schema.enum || schema.enum.includes(value)) ? value : undefined
    }
    case 'array':
      if (!Array.isArray(value) || value.length > mostItems) return undefined
      return value.map(item => fitting(schema.items, item)).filter(item => item !== undefined)
    case 'object':
      return fittingRecord(schema.properties, value)
  }
}
