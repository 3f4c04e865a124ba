import { invalid } from '../../errors.ts'

/** The value of a single claim. */
type Primitive = { description: string } & (
  | { type: 'boolean' }
  | { type: 'string'; enum?: string[] }
  | { type: 'number' }
)

/** The schema of a claim, in a subset of JSON Schema. */
export type ClaimSchema =
  | Primitive
  | { type: 'array'; description: string; items: Primitive }
  | ({ type: 'object'; description: string } & Properties)

type Properties = { properties: Record<string, ClaimSchema>; additionalProperties: false }

/**
 * The adaptive schema of a site: its visitors' signed claims, and under `unsigned` the unsigned
 * ones.
 */
export type ClaimsSchema = { $schema?: typeof draft; type: 'object' } & Properties

const draft = 'http://json-schema.org/draft-07/schema#'
const unsignedDescription = 'Unsigned claims of the site visitor.'

/** Names that could reach a prototype. */
export const unsafeNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const nameForm = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
const deepest = 5
const mostProperties = 200
const mostValues = 100
const longestValue = 200
const longestDescription = 500
const mostBytes = 65_536

/** The progress of a check: the number of properties so far. */
type Check = { properties: number }

/** The place of a part: its path from the root, and the number of property names on it. */
type PropertyPath = { path: string; depth: number }

type Keywords = Readonly<Record<string, unknown>>

/**
 * Checks an adaptive schema before it is stored and returns a copy of it. Throws 'invalid' with
 * `detail.path`, such as "properties.plan.enum", for a keyword or value that such schemas do not
 * have, and beyond 5 levels, 200 properties or 64 KB.
 */
export function checkClaimsSchema(value: unknown): ClaimsSchema {
  const root = readKeywords(value, '', ['$schema', 'type', 'properties', 'additionalProperties'])
  if (root.$schema !== undefined && root.$schema !== draft)
    throw problem('$schema', `can only be "${draft}"`)
  if (root.type !== 'object') throw problem('type', 'must be "object" at the root')

  const schema: ClaimsSchema = {
    ...(root.$schema === draft && { $schema: draft }),
    type: 'object',
    ...readProperties(root, { path: '', depth: 0 }, { properties: 0 }),
  }
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > mostBytes) throw problem('', `has ${bytes} bytes as JSON. The limit is ${mostBytes}`)

  return schema
}

function readProperties(
  keywords: Keywords,
  { path, depth }: PropertyPath,
  check: Check,
): Properties {
  if (keywords.additionalProperties !== false)
    throw problem(below(path, 'additionalProperties'), 'must be false')
  const listPath = below(path, 'properties')
  const entries = Object.entries(readRecord(keywords.properties, listPath))
  if (depth >= deepest && entries.length > 0)
    throw problem(listPath, `is nested too deeply. Use at most ${deepest} levels of properties`)
  check.properties += entries.length

  if (check.properties > mostProperties)
    throw problem(
      listPath,
      `is too long. A schema can have at most ${mostProperties} properties in all`,
    )

  const read = entries.map(([name, value]): [string, ClaimSchema] => {
    const at = below(listPath, name.slice(0, 64))
    if (!nameForm.test(name) || unsafeNames.has(name))
      throw problem(
        at,
        'is not a valid name. Use up to 64 letters, digits, "_" and "-", with a letter or "_" first, and none of "__proto__", "constructor" and "prototype"',
      )
    if (depth === 0 && name === 'unsigned') checkUnsigned(value, at)
    return [name, readClaim(value, { path: at, depth: depth + 1 }, check)]
  })

  return { properties: Object.fromEntries(read), additionalProperties: false }
}

function checkUnsigned(value: unknown, path: string): void {
  const { type, description } = readRecord(value, path)
  if (type !== 'object') throw problem(below(path, 'type'), 'must be "object"')
  if (description !== unsignedDescription)
    throw problem(below(path, 'description'), `must be "${unsignedDescription}"`)
}

function readClaim(value: unknown, place: PropertyPath, check: Check): ClaimSchema {
  const { path } = place
  const { type } = readRecord(value, path)
  if (type === 'array') {
    const keywords = readKeywords(value, path, ['type', 'description', 'items'])
    const items = readPrimitive(keywords.items, below(path, 'items'))
    return { type, description: readDescription(keywords, path), items }
  }

  if (type === 'object') {
    const keywords = readKeywords(value, path, [
      'type',
      'description',
      'properties',
      'additionalProperties',
    ])
    return {
      type,
      description: readDescription(keywords, path),
      ...readProperties(keywords, place, check),
    }
  }

  return readPrimitive(value, path, ['boolean', 'string', 'number', 'array', 'object'])
}

function readPrimitive(
  value: unknown,
  path: string,
  types = ['boolean', 'string', 'number'],
): Primitive {
  const { type } = readRecord(value, path)
  if (type === 'boolean' || type === 'number')
    return {
      type,
      description: readDescription(readKeywords(value, path, ['type', 'description']), path),
    }

  if (type !== 'string')
    throw problem(
      below(path, 'type'),
      `must be one of ${types.map(name => `"${name}"`).join(', ')}`,
    )

  const keywords = readKeywords(value, path, ['type', 'description', 'enum'])
  const description = readDescription(keywords, path)
  if (keywords.enum === undefined) return { type, description }

  return { type, enum: readValues(keywords.enum, below(path, 'enum')), description }
}

function readValues(value: unknown, path: string): string[] {
  if (!Array.isArray(value) || value.length < 1 || value.length > mostValues)
    throw problem(path, `must be a list of 1 to ${mostValues} strings`)
  const fits = (item: unknown): item is string =>
    typeof item === 'string' && item !== '' && isWithin(item, longestValue)
  const values = value.filter(fits)
  if (values.length < value.length)
    throw problem(path, `must contain only strings of 1 to ${longestValue} characters`)
  if (new Set(values).size < values.length) throw problem(path, 'must contain each value only once')

  return values
}

function readDescription({ description }: Keywords, path: string): string {
  if (typeof description !== 'string' || !isWithin(description, longestDescription))
    throw problem(
      below(path, 'description'),
      `must be a string of up to ${longestDescription} characters`,
    )
  return description
}

/** Returns whether a text has at most this many characters, counted as code points. */
const isWithin = (text: string, most: number): boolean =>
  text.length <= 2 * most && [...text].length <= most

/** Returns an object whose keys are all in `allowed`. */
function readKeywords(value: unknown, path: string, allowed: readonly string[]): Keywords {
  const keywords = readRecord(value, path)
  const unknown = Object.keys(keywords).find(key => !allowed.includes(key))
  if (unknown !== undefined)
    throw problem(
      below(path, unknown.slice(0, 64)),
      `is not supported here. Use only ${allowed.map(key => `"${key}"`).join(', ')}`,
    )
  return keywords
}

/** Returns the own keys of an object in a record without a prototype. */
function readRecord(value: unknown, path: string): Keywords {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw problem(path, 'must be an object')
  return Object.assign(Object.create(null), value)
}

const below = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

const problem = (path: string, sentence: string) =>
  invalid(`${path === '' ? 'The schema' : `"${path}" in the schema`} ${sentence}.`, { path })
