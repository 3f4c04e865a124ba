import { unsafeNames } from './claims-schema.ts'

/** Where a visitor's browser carries unsigned claims. */
type UnsignedSources = {
  /** The decoded names and values of the query; only names that begin with "visitor." count. */
  query?: Iterable<readonly [name: string, value: string]>
  /**
   * The values of cookies whose names begin with `gitbook-visitor-public`, decoded: JSON objects.
   */
  cookies?: Iterable<string>
}

type Claims = Record<string, unknown>

const prefix = 'visitor.'
const deepest = 5
const most = 4_096

/**
 * Returns the unsigned claims of a visitor. Later cookies win over earlier ones, the query wins
 * over cookies. Everything unusable is left out: texts over 4 KB, cookies that are not JSON
 * objects, names that could reach a prototype, and values more than 5 levels deep. More than 4 KB
 * in all results in no claims.
 */
export function unsignedClaims({ query = [], cookies = [] }: UnsignedSources): Claims {
  const claims: Claims = {}
  for (const cookie of cookies) {
    const value = isShort(cookie) ? parse(cookie) : undefined
    if (isRecord(value)) merge(claims, prune(value, deepest) as Claims)
  }

  for (const [name, text] of query) {
    if (name.startsWith(prefix) && isShort(name) && isShort(text))
      setAt(claims, name.slice(prefix.length), text)
  }

  return isShort(JSON.stringify(claims)) ? claims : {}
}

const isShort = (text: string): boolean => Buffer.byteLength(text) <= most

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Claims =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/**
 * Returns the value with everything removed that is deeper than `levels` or has an unsafe name;
 * undefined if nothing is left.
 */
function prune(value: unknown, levels: number): unknown {
  if (value === null || typeof value !== 'object') return value
  if (levels === 0) return undefined
  if (Array.isArray(value))
    return value.map(item => prune(item, levels - 1)).filter(item => item !== undefined)

  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !unsafeNames.has(name))
      .map(([name, item]) => [name, prune(item, levels - 1)])
      .filter(([, item]) => item !== undefined),
  )
}

/**
 * Adds the entries of a record to another one. Records in both are merged, other values are
 * replaced.
 */
function merge(into: Claims, from: Claims): void {
  for (const [name, value] of Object.entries(from)) {
    const there = Object.hasOwn(into, name) ? into[name] : undefined
    if (isRecord(there) && isRecord(value)) merge(there, value)
    else into[name] = value
  }
}

/**
 * Sets the claim that a path such as "plan.name" names, and replaces values on the way that are not
 * records.
 */
function setAt(claims: Claims, path: string, text: string): void {
  const names = path.split('.')
  const last = names.at(-1)!
  if (names.length > deepest || names.some(name => name === '' || unsafeNames.has(name))) return

  const value = prune(readValue(text), deepest - names.length)
  if (value === undefined) return

  let at = claims

  for (const name of names.slice(0, -1)) {
    const inner = Object.hasOwn(at, name) ? at[name] : undefined
    const record: Claims = isRecord(inner) ? inner : {}
    at[name] = record
    at = record
  }

  at[last] = value
}

/**
 * Returns the JSON value of a text, except for a quoted string and a number that is not finite;
 * otherwise the text.
 */
function readValue(text: string): unknown {
  const value = parse(text)
  const isNumber = typeof value === 'number' && Number.isFinite(value)
  return isNumber || (value !== undefined && typeof value !== 'number' && typeof value !== 'string')
    ? value
    : text
}
