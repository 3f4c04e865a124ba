import { jsonText, type Left, memberText, wrapped } from './json.ts'
import { choicesOf, merge, propertiesOf, said, typesOf } from './schema-parts.ts'
import { follow, isObject, listIn, ownIn } from './value.ts'

/** Which side an example is of: what is read only is not sent, what is write only not answered. */
export type Side = 'request' | 'response'

type Making = { document: unknown; left: Left; side: Side }

const mostValues = 300
const deepest = 8

/** What a text of each format may look like. */
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

/** An example of what fits a schema, as JSON text: what the schema gives as one, or else one made from its types, of `most` values. */
export const exampleOfSchema = (document: unknown, schema: unknown, side: Side, most = mostValues): string =>
  write({ document, left: { values: Math.min(most, mostValues) }, side }, schema, 0, [])

/** An example that a media type or parameter gives, as text; undefined when it gives none. */
export function exampleGiven(
  document: unknown,
  holder: unknown,
): { text: string; isText: boolean } | undefined {
  const named = ownIn(holder, 'examples')
  const first = isObject(named) ? Object.values(named)[0] : undefined
  const value = ownIn(holder, 'example') ?? exampleValue(follow(document, first).value)
  if (value === undefined) return undefined
  if (typeof value === 'string') return { text: value.slice(0, 20_000), isText: true }
  return { text: jsonText(value, { values: 2_000 }), isText: false }
}

/** OpenAPI 3.2 says `dataValue` or `serializedValue` where older ones say `value`. */
const exampleValue = (example: unknown): unknown =>
  ownIn(example, 'value') ?? ownIn(example, 'dataValue') ?? ownIn(example, 'serializedValue')

function write(making: Making, written: unknown, indent: number, above: readonly string[]): string {
  const { document, left } = making
  const { value, ref, lost } = follow(document, written)
  const circle = ref !== undefined && above.includes(ref)
  if (--left.values < 0 || lost !== undefined || circle || indent > deepest) return 'null'
  const { parts } = merge(document, value)
  const given = givenBy(parts)
  if (given !== undefined) return jsonText(given, left, indent)
  const below = ref === undefined ? above : [...above, ref]
  const [choice] = choicesOf(parts)
  const [type] = typesOf(parts)
  if (type === 'array') {
    const items = said(parts, 'items')
    const parted = items === undefined ? [] : [write(making, items, indent + 1, below)]
    return wrapped(['[', ']'], parted[0] === 'null' ? [] : parted, indent)
  }
  if (type === 'object' || (type === undefined && propertiesOf(parts).properties.size > 0))
    return objectText(making, parts, indent, below)
  if (choice !== undefined && !simple.has(type ?? '')) return write(making, choice, indent, below)
  return simpleText(type, parts)
}

const simple = new Set(['string', 'integer', 'number', 'boolean', 'null'])

function givenBy(parts: readonly unknown[]): unknown {
  const first = (name: string) => listIn(said(parts, name))[0]
  return (
    said(parts, 'example') ??
    first('examples') ??
    said(parts, 'const') ??
    said(parts, 'default') ??
    first('enum')
  )
}

function objectText(
  making: Making,
  parts: readonly unknown[],
  indent: number,
  above: readonly string[],
): string {
  const { document, left, side } = making
  const members: string[] = []
  const hidden = side === 'request' ? 'readOnly' : 'writeOnly'
  for (const [name, schema] of propertiesOf(parts).properties) {
    if (left.values <= 0) break
    if (ownIn(follow(document, schema).value, hidden) === true) continue
    members.push(memberText(name, write(making, schema, indent + 1, above)))
  }
  const other = said(parts, 'additionalProperties')
  if (members.length === 0 && isObject(other))
    members.push(memberText('name', write(making, other, indent + 1, above)))
  return wrapped(['{', '}'], members, indent)
}

function simpleText(type: string | undefined, parts: readonly unknown[]): string {
  if (type === 'integer' || type === 'number') {
    const least = said(parts, 'minimum')
    return typeof least === 'number' && Number.isFinite(least) ? String(least) : '1'
  }
  if (type === 'boolean') return 'true'
  if (type !== 'string') return 'null'
  return JSON.stringify(texts.get(said(parts, 'format')) ?? 'text')
}
