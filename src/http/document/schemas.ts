import { z } from 'zod'
import { isRecord, type Json, withSentences } from './sentences.ts'

const refs = { uri: (id: string) => `#/components/schemas/${id}` }

/**
 * Returns a schema whose references lead to the document's components; Zod collects named schemas
 * under `$defs`.
 */
const hoist = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json

/**
 * Returns a schema as JSON Schema. Components describe output, so only output refers to them: the
 * schema of a body, where defaults may be left out, is inlined.
 */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const named = z.globalRegistry.get(schema)?.id
  if (named && io === 'output') return { $ref: refs.uri(named) }
  const {
    $schema: _schema,
    $defs: _defs,
    id: _id,
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json

  const made = withSentences(withoutSafeBounds(hoist(rest)))
  return io === 'output' ? answered(made) : made
}

/**
 * Returns a schema without the bounds of JavaScript's safe integers, which are not part of the
 * contract.
 */
const withoutSafeBounds = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const { minimum, maximum, ...rest } = value as Json
    return {
      ...rest,
      ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
      ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    }
  }) as Json

/** Returns the named schemas that `paths` refers to, directly or not, sorted by name. */
export function componentsOf(paths: Json): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    ...refs,
    io: 'output',
    unrepresentable: 'any',
  })
  const found = new Set<string>()
  const gather = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(
      /"#\/components\/schemas\/([^"/]+)"/g,
    )) {
      if (found.has(name)) continue
      found.add(name)
      gather(schemas[name])
    }
  }

  gather(paths)
  const components = [...found].sort().map(name => {
    const { $schema: _schema, $id: _id, id: _name, ...rest } = schemas[name] as Json
    return [name, answered(withSentences(withoutSafeBounds(rest)))]
  })

  return Object.fromEntries(components)
}

/** The names of properties of answers that are times. */
const isTime = (name: string): boolean => /(?:At|Since|Until)$/.test(name)

/**
 * Returns the schema of an answer: later versions may add properties, and times have their format.
 */
const answered = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (!isRecord(value)) return value
    const { additionalProperties, properties, ...rest } = value
    return {
      ...rest,
      ...(isRecord(properties) && { properties: withTimes(properties) }),
      ...(additionalProperties !== false &&
        additionalProperties !== undefined && { additionalProperties }),
    }
  }) as Json

const withTimes = (properties: Json): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isTime(name) && isRecord(schema) ? asTime(schema) : schema,
    ]),
  )

/** Returns a text, or a text or null, as a time. */
const asTime = (schema: Json): Json =>
  Array.isArray(schema.anyOf)
    ? { ...schema, anyOf: schema.anyOf.map(asTime) }
    : schema.type === 'string' && schema.format === undefined
      ? { ...schema, format: 'date-time' }
      : schema

/**
 * Returns the schema of a parameter, which arrives as text, by its meaning: true and false are a
 * boolean, up to so many digits an integer.
 */
export function parameterSchema(schema: Json): Json {
  const { type: _type, enum: values, pattern, ...rest } = schema
  if (Array.isArray(values) && values.join() === 'true,false') return { type: 'boolean', ...rest }
  return /^\^\\d\{1,\d\}\$$/.test(String(pattern ?? '')) ? { type: 'integer', ...rest } : schema
}
