/** A JSON object of a spec. Read only its own properties, with `ownIn`. */
type Values = Readonly<Record<string, unknown>>

const nothing: Values = Object.freeze(Object.create(null) as Values)

/** Returns whether a value is a JSON object: not an array, not null. */
export const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value if it is an object, an empty object otherwise. */
export const objectIn = (value: unknown): Values => (isObject(value) ? value : nothing)

/** Returns the value if it is an array, an empty array otherwise. */
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/**
 * Returns an own property of an object, even one called `__proto__`; undefined when there is none.
 */
export const ownIn = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/**
 * Returns a string property of an object, trimmed and cut to `most` characters; '' when there is
 * none. A number counts as its text: YAML reads a text without quotes as one.
 */
export function textIn(value: unknown, name: string, most = 200): string {
  const text = ownIn(value, name)
  if (typeof text === 'number') return String(text)
  return typeof text === 'string' ? clip(text.trim(), most) : ''
}

/** Cuts a text to at most `most` characters, with an ellipsis where something was cut. */
export const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`

/** The most references that are followed from one to the next. */
const mostHops = 50

/**
 * A `$ref` that cannot be resolved: its target does not exist or is in another document, or it is a
 * part of a cycle or of a chain of too many references.
 */
export type LostRef = { ref: string; why: 'not found' | 'refers to itself' | 'too many references' }

/** The target of a reference. */
export type Followed = {
  value: unknown
  /** The last `$ref` that was followed; undefined when the value was not a reference. */
  ref?: string
  lost?: LostRef
}

/** Follows the references of a value within the document. Nothing is ever fetched. */
export function follow(document: unknown, value: unknown): Followed {
  const seen = new Set<string>()
  let at = value
  let ref: string | undefined

  for (;;) {
    const next = ownIn(at, '$ref')
    if (typeof next !== 'string') return { value: at, ...(ref !== undefined && { ref }) }
    if (seen.has(next)) return lostAt(next, 'refers to itself')
    if (seen.size >= mostHops) return lostAt(next, 'too many references')
    seen.add(next)
    ref = next
    at = resolvePointer(document, next)
    if (at === undefined) return lostAt(next, 'not found')
  }
}

const lostAt = (ref: string, why: LostRef['why']): Followed => ({
  value: undefined,
  lost: { ref, why },
})

/**
 * Returns the value at a JSON pointer such as `#/components/schemas/Pet`; undefined when there is
 * none.
 */
function resolvePointer(document: unknown, ref: string): unknown {
  if (ref === '#') return document
  if (!ref.startsWith('#/') || ref.length > 2000) return undefined
  let at = document

  for (const part of ref.slice(2).split('/')) {
    const name = unescaped(part)
    at = Array.isArray(at)
      ? /^\d{1,9}$/.test(name)
        ? at[Number(name)]
        : undefined
      : ownIn(at, name)
    if (at === undefined) return undefined
  }

  return at
}

function unescaped(part: string): string {
  const decoded = part.includes('%') ? decodedOr(part) : part
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~')
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the last name in a reference: `Pet` of `#/components/schemas/Pet`. */
export const nameOfRef = (ref: string): string => unescaped(ref.slice(ref.lastIndexOf('/') + 1))
