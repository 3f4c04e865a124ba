/** How the values of a parameter are written into an address. */
export type ParameterStyle = {
  name: string
  /**
   * What joins the values of a list; with `&`, each has the name in a query, and `before` in a
   * path.
   */
  joint?: ',' | ' ' | '|' | '&'
  /** What stands before the value in a path, encoded. */
  before?: string
  /** Whether reserved characters stay as they are where a query allows them. */
  reserved?: true
}

/**
 * Returns a text with everything encoded but the unreserved characters of RFC 3986; half characters
 * become U+FFFD.
 */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /[!'()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/**
 * Returns a path in which the parameters in braces have their values, which `encodedFor` returns
 * encoded. The rest is encoded where RFC 3986 demands it; what is encoded already stays.
 */
export const pathText = (path: string, encodedFor: (name: string) => string | undefined): string =>
  path
    .split(/(\{[^{}]*\})/)
    .map(
      part => (part.startsWith('{') ? encodedFor(part.slice(1, -1)) : undefined) ?? literal(part),
    )
    .join('')

const literal = (text: string): string =>
  text.replace(/%[\da-f]{2}|[^\w.~!$&'()*+,;=:@/?-]+/gi, part =>
    /^%[\da-f]{2}$/i.test(part) ? part : percentEncoded(part),
  )

/** Returns the values of a path parameter. */
export function pathValue(
  { joint, before = '' }: ParameterStyle,
  values: readonly string[],
): string {
  const each = values.map(percentEncoded)
  return joint === '&' ? each.map(value => before + value).join('') : before + each.join(',')
}

/** Returns the pairs of a query parameter. */
export function queryPairs(
  { name, joint, reserved }: ParameterStyle,
  values: readonly string[],
): string[] {
  const each = values.map(reserved ? inQuery : percentEncoded)
  const texts =
    joint === '&'
      ? each
      : [each.join(joint === undefined || joint === ',' ? ',' : percentEncoded(joint))]
  return texts.map(text => `${percentEncoded(name)}=${text}`)
}

/** Encodes a value of a query without the reserved characters that do not end it. */
const inQuery = (text: string): string => text.replace(/[^:/?@!$'()*,;]+/g, percentEncoded)

/** Returns the values of a list that are separated with commas. */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')
