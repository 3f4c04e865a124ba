/** The longest header, and the longest token in it. */
const mostHeader = 2048
const mostToken = 400

/**
 * Returns the token in an Authorization header: the password of Basic, its name where there is no
 * password (or "x-oauth-basic", which some tools fill in), or that of Bearer. Undefined for a
 * header without a usable one.
 */
export function tokenIn(header: string): string | undefined {
  if (header.length > mostHeader) return undefined
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+)$/i.exec(header) ?? []
  const token = scheme.toLowerCase() === 'basic' ? tokenInBasic(value) : value
  return token !== '' && token.length <= mostToken && !/\s/.test(token) ? token : undefined
}

function tokenInBasic(value: string): string {
  const text = Buffer.from(value, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon === -1) return ''
  const password = text.slice(colon + 1)
  return password === '' || password === 'x-oauth-basic' ? text.slice(0, colon) : password
}
