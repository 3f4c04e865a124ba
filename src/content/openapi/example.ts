import { jsonText, memberText, type ValueBudget, wrapped } from './json.ts'
import {
  choicesOf,
  firstValue,
  flattenAllOf,
  partsWithBelow,
  propertiesOf,
  typesOf,
} from './schema-parts.ts'
import { follow, isObject, listIn, ownIn, textIn } from './value.ts'

/**
 * The direction of an example: requests have no `readOnly` properties, responses no `writeOnly`
 * ones.
 */
export type Side = 'request' | 'response'

type ExampleWriter = { document: unknown; left: ValueBudget; side: Side }

const mostValues = 300
const deepest = 8

/** An example string of each format. */
const texts: ReadonlyMap<unknown, string> = new Map([
  ['date-time', '2026-01-31T12:00:00Z'],
  ['date', '2026-01-31'],
  ['time', '12:00:00Z'],
  ['email', 'name@example.com'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
  ['uri', 'https://example.com'],
  ['url', 'https://example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['byte', 'dGV4dA=='],
])

/**
 * Returns an example for a schema as JSON text of at most `most` values: an example that the schema
 * itself gives, or one made from its types.
 */
export const exampleOfSchema = (
  document: unknown,
  schema: unknown,
  side: Side,
  most = mostValues,
): string => write({ document, left: { values: Math.min(most, mostValues) }, side }, schema, 0, [])

/** The text of an example, and whether that is its value itself and not JSON. */
type Given = { text: string; isText: boolean }

/** The most examples of a media type that are shown. */
const mostExamples = 5

/**
 * Returns the example that a media type or parameter gives, as text; undefined when it gives none.
 */
export function exampleGiven(document: unknown, holder: unknown): Given | undefined {
  const value = valueGiven(document, holder)
  return value === undefined ? undefined : textOfValue(value)
}

/** Returns the examples that a media type gives, each with its title; '' for one without a name. */
export function examplesGiven(document: unknown, holder: unknown): (Given & { title: string })[] {
  const named = ownIn(holder, 'examples')
  if (ownIn(holder, 'example') !== undefined || !isObject(named)) {
    const only = exampleGiven(document, holder)
    return only ? [{ ...only, title: '' }] : []
  }

  return Object.entries(named)
    .slice(0, mostExamples)
    .flatMap(([name, written]) => {
      const example = follow(document, written).value
      const value = exampleValue(example)
      if (value === undefined) return []
      return [{ ...textOfValue(value), title: textIn(example, 'summary', 80) || name }]
    })
}

const textOfValue = (value: unknown): Given =>
  typeof value === 'string'
    ? { text: value.slice(0, 20_000), isText: true }
    : { text: jsonText(value, { values: 2_000 }), isText: false }

/**
 * Returns the value of the example that a media type or parameter gives; undefined when it gives
 * none.
 */
export function valueGiven(document: unknown, holder: unknown): unknown {
  const named = ownIn(holder, 'examples')
  const first = isObject(named) ? Object.values(named)[0] : undefined
  return ownIn(holder, 'example') ?? exampleValue(follow(document, first).value)
}

/** OpenAPI 3.2 has `dataValue` and `serializedValue` where earlier versions have `value`. */
const exampleValue = (example: unknown): unknown =>
  ownIn(example, 'value') ?? ownIn(example, 'dataValue') ?? ownIn(example, 'serializedValue')

/**
 * Writes an example of a schema; `above` has the parts of the schemas around it. `null` where the
 * schema is recursive or unresolvable, or the budget is used up.
 */
function write(
  writer: ExampleWriter,
  written: unknown,
  indent: number,
  above: readonly unknown[],
): string {
  const { document, left } = writer
  const { value, lost } = follow(document, written)
  if (--left.values < 0 || lost !== undefined || indent > deepest) return 'null'
  const { parts } = flattenAllOf(document, value)
  const own = partsWithBelow(parts)
  if (own.length > 0 && own.every(part => above.includes(part))) return 'null'
  const given = givenBy(parts)
  if (given !== undefined) return jsonText(given, left, indent)
  return writeFromType(writer, parts, indent, [...above, ...own])
}

function writeFromType(
  writer: ExampleWriter,
  parts: readonly unknown[],
  indent: number,
  above: readonly unknown[],
): string {
  const [choice] = choicesOf(parts)
  const [type] = typesOf(parts)
  if (type === 'array') return arrayText(writer, parts, indent, above)
  if (type === 'object' || (type === undefined && propertiesOf(parts).properties.size > 0))
    return objectText(writer, parts, indent, above)
  if (choice !== undefined && !simple.has(type ?? '')) return write(writer, choice, indent, above)
  return simpleText(type, parts)
}

const simple = new Set(['string', 'integer', 'number', 'boolean', 'null'])

function givenBy(parts: readonly unknown[]): unknown {
  const first = (name: string) => listIn(firstValue(parts, name))[0]
  return (
    firstValue(parts, 'example') ??
    first('examples') ??
    firstValue(parts, 'const') ??
    firstValue(parts, 'default') ??
    first('enum')
  )
}

function arrayText(
  writer: ExampleWriter,
  parts: readonly unknown[],
  indent: number,
  above: readonly unknown[],
): string {
  const items = firstValue(parts, 'items')
  const element = items === undefined ? 'null' : write(writer, items, indent + 1, above)
  return wrapped(['[', ']'], element === 'null' ? [] : [element], indent)
}

function objectText(
  writer: ExampleWriter,
  parts: readonly unknown[],
  indent: number,
  above: readonly unknown[],
): string {
  const { document, left, side } = writer
  const members: string[] = []
  const hidden = side === 'request' ? 'readOnly' : 'writeOnly'

  for (const [name, schema] of propertiesOf(parts).properties) {
    if (left.values <= 0) break
    if (ownIn(follow(document, schema).value, hidden) === true) continue
    members.push(memberText(name, write(writer, schema, indent + 1, above)))
  }

  const other = firstValue(parts, 'additionalProperties')
  if (members.length === 0 && isObject(other))
    members.push(memberText('name', write(writer, other, indent + 1, above)))

  return wrapped(['{', '}'], members, indent)
}

function simpleText(type: string | undefined, parts: readonly unknown[]): string {
  if (type === 'integer' || type === 'number') {
    const least = firstValue(parts, 'minimum')
    return typeof least === 'number' && Number.isFinite(least) ? String(least) : '1'
  }
  if (type === 'boolean') return 'true'
  if (type !== 'string') return 'null'
  return JSON.stringify(texts.get(firstValue(parts, 'format')) ?? 'text')
}
