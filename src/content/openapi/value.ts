/** A JSON object of a description. Nothing is looked up in it but what it has itself. */
export type Values = Readonly<Record<string, unknown>>

const nothing: Values = Object.freeze(Object.create(null) as Values)

/** Says whether a value is a JSON object: no list, and not null. */
export const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value as an object; an empty one when it is none. */
export const objectIn = (value: unknown): Values => (isObject(value) ? value : nothing)

/** The value as a list; an empty one when it is none. */
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** What an object has itself under a name, also under one such as `__proto__`; undefined when it has nothing. */
export const ownIn = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The text that an object has under a name, at most `most` characters of it; '' when it has none. */
export function textIn(value: unknown, name: string, most = 200): string {
  const text = ownIn(value, name)
  return typeof text === 'string' ? clip(text.trim(), most) : ''
}

/** A text cut to at most `most` characters, with an ellipsis where something is gone. */
export const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`

/** References that lead to references are followed this often. */
const mostHops = 50

/** What a reference leads to: its value, and the name that the last reference gives it. */
export type Followed = {
  value: unknown
  /** The last `$ref` that was followed; undefined when the value is none. */
  ref?: string
  /** The `$ref` that leads nowhere: into another document, in a circle, or to what is not there. */
  lost?: string
}

/** Follows the references of a value to what is none, inside the document alone. Nothing is ever fetched. */
export function follow(document: unknown, value: unknown): Followed {
  const seen = new Set<string>()
  let at = value
  let ref: string | undefined
  for (;;) {
    const next = ownIn(at, '$ref')
    if (typeof next !== 'string') return { value: at, ...(ref !== undefined && { ref }) }
    if (seen.has(next) || seen.size >= mostHops) return { value: undefined, lost: next }
    seen.add(next)
    ref = next
    at = pointed(document, next)
    if (at === undefined) return { value: undefined, lost: next }
  }
}

/** What a JSON pointer such as `#/components/schemas/Pet` leads to; undefined when it leads nowhere. */
function pointed(document: unknown, ref: string): unknown {
  if (ref === '#') return document
  if (!ref.startsWith('#/') || ref.length > 2000) return undefined
  let at = document
  for (const part of ref.slice(2).split('/')) {
    const name = unescaped(part)
    at = Array.isArray(at) ? (/^\d{1,9}$/.test(name) ? at[Number(name)] : undefined) : ownIn(at, name)
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

/** The name that a reference ends in: `Pet` of `#/components/schemas/Pet`. */
export const nameOfRef = (ref: string): string => unescaped(ref.slice(ref.lastIndexOf('/') + 1))
