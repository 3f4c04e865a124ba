import { sampleOf } from './call-fields.ts'
import { pathText, pathValue, percentEncoded, queryPairs } from './parameter-address.ts'
import { firstServer } from './security.ts'
import { clip, follow, listIn, objectIn, ownIn, textIn } from './value.ts'

/** The most parameters in a sample, and the longest body, in characters. */
const mostParameters = 20
const longestBody = 4_000

/** A call to write a sample of; `body` is an example of its content. */
type SampleCall = {
  method: string
  path: string
  parameters: readonly unknown[]
  operation: unknown
  body?: { type: string; text: string } | undefined
}

/** A request as samples show it. Names in angle brackets stand for values that are not known. */
export type SampleRequest = {
  /** In upper case. */
  method: string
  address: string
  headers: readonly (readonly [name: string, value: string])[]
  /** The name and the password of HTTP Basic. */
  user?: readonly [name: string, password: string] | undefined
  body?: { type: string; text: string } | undefined
}

/** Returns a call as a request; undefined without a server with a web address. */
export function sampleRequest(
  document: unknown,
  item: unknown,
  call: SampleCall,
): SampleRequest | undefined {
  const server = firstServer(document, call.operation, item)
  if (server === undefined || server.length + call.path.length > 2_000) return undefined
  const required = call.parameters.filter(
    each => ownIn(each, 'required') === true || ownIn(each, 'in') === 'path',
  )
  const held = credentials(document, call.operation)
  const named = new Map(
    required
      .filter(each => textIn(each, 'in') === 'path')
      .map(each => [textIn(each, 'name'), each]),
  )
  const path = pathText(call.path, name => inPath(document, name, named.get(name)))
  const inQuery = required.filter(each => textIn(each, 'in') === 'query').slice(0, mostParameters)
  const query = [...inQuery.flatMap(each => pairsIn(document, each)), ...held.query]
  const address =
    server.replace(/(?:\/*[?#].*|\/+)$/, '') +
    path +
    (query.length > 0 ? `${path.includes('?') ? '&' : '?'}${query.join('&')}` : '')

  return {
    method: call.method.toUpperCase().replace(/[^A-Z]/g, ''),
    address,
    headers: [
      ...headersIn(document, required),
      ...held.headers,
      ...(call.body ? [['Content-Type', clip(call.body.type, 100)] as const] : []),
    ],
    user: held.user,
    body: call.body && call.body.text.length <= longestBody ? call.body : undefined,
  }
}

/** Returns whether a name has no character with a meaning to curl, such as `@` at its start. */
const isPlainName = (name: string): boolean => /^[\w.~[\]-]+$/.test(name)

const inOneLine = (text: string): string => clip(text.replace(/\s+/g, ' ').trim(), 200)

/** Returns a name as what stands for a value that is not known. */
const placeholder = (name: string): string => `<${percentEncoded(inOneLine(name))}>`

/**
 * Returns what a path has for a name in braces: the example of its parameter, its default, or its
 * name.
 */
function inPath(document: unknown, name: string, parameter: unknown): string {
  const { style, values } = sampleOf(document, parameter)
  return values.length > 0 ? pathValue(style, values) : (style.before ?? '') + placeholder(name)
}

function pairsIn(document: unknown, parameter: unknown): string[] {
  const { style, values } = sampleOf(document, parameter)
  const { name } = style
  return values.length > 0
    ? queryPairs(style, values)
    : [`${percentEncoded(name)}=${placeholder(name)}`]
}

const headersIn = (document: unknown, parameters: readonly unknown[]): [string, string][] =>
  parameters
    .filter(each => textIn(each, 'in') === 'header' && isPlainName(textIn(each, 'name')))
    .slice(0, mostParameters)
    .map(each => {
      const { style, values } = sampleOf(document, each)
      return [style.name, values.length > 0 ? inOneLine(values.join(',')) : `<${style.name}>`]
    })

type Held = { headers: [string, string][]; query: string[]; user?: [string, string] }

/**
 * Returns what the first choice of authorization adds to a call. Names in brackets stand for the
 * secrets.
 */
function credentials(document: unknown, operation: unknown): Held {
  const held: Held = { headers: [], query: [] }
  const [choice] = listIn(ownIn(operation, 'security') ?? ownIn(document, 'security'))
  const schemes = ownIn(ownIn(document, 'components'), 'securitySchemes')

  for (const name of Object.keys(objectIn(choice)).slice(0, 5)) {
    const scheme = follow(document, ownIn(schemes, name)).value
    const [type, word] = [textIn(scheme, 'type'), textIn(scheme, 'scheme').toLowerCase()]
    const key = textIn(scheme, 'name')

    if (type === 'http' && word === 'basic') held.user = ['<name>', '<password>']
    else if (type === 'oauth2' || type === 'openIdConnect' || word === 'bearer')
      held.headers.push(['Authorization', 'Bearer <token>'])
    else if (type !== 'apiKey' || key === '') continue
    else if (textIn(scheme, 'in') === 'query') held.query.push(`${percentEncoded(key)}=<key>`)
    else if (!isPlainName(key)) continue
    else if (textIn(scheme, 'in') === 'header') held.headers.push([key, '<key>'])
    else held.headers.push(['Cookie', `${key}=<key>`])
  }

  return held
}
