import { sha256 } from '../../lib/digest.ts'
import { type CallField, fieldsOf, isSendableHeader } from './call-fields.ts'
import { exampleGiven } from './example.ts'
import { serverUrls } from './security.ts'
import { follow, listIn, objectIn, ownIn, textIn } from './value.ts'

/**
 * What a reader has to know to be let in: a token, a name with a password, or a key in a header or
 * the query.
 */
type CallCredential =
  | { kind: 'bearer' | 'basic'; label: string }
  | { kind: 'key'; label: string; in: 'header' | 'query'; name: string }

/** A request that readers can fill in and send from a page. */
export type Call = {
  /** In upper case. */
  method: string
  /** With the names of parameters in braces. */
  path: string
  /** The addresses of servers without a slash at their end. */
  servers: string[]
  fields: CallField[]
  /**
   * The ways of authorization: all credentials of one of them. An empty one is a call without any.
   */
  auth: CallCredential[][]
  bodies: { type: string; text: string }[]
  /** The names of what a page cannot send: cookies and some headers. */
  left: string[]
  /** Whether a body is a file or has files, which the form does not offer. */
  files: boolean
}

/** An operation with its parameters, and the body of its example request. */
export type Callable = {
  method: string
  path: string
  item: unknown
  operation: unknown
  parameters: readonly unknown[]
  body?: { type: string; text: string } | undefined
}

const mostServers = 10
const mostChoices = 5
const mostCredentials = 5
const mostBodies = 5
const longestBody = 4_000
/** The longest description of a call, in characters of JSON: it is a part of the page. */
const longestCall = 40_000

/** Methods that browsers do not send for a page. */
const refused = /^(?:CONNECT|TRACE|TRACK)$/

/** Bodies that are files. */
const fileType =
  /^(?:multipart|image|audio|video|font)\/|^application\/(?:octet-stream|pdf|zip|gzip)\b/i

/** Returns the key of the piece with the call whose example request is `sample`. */
export const callKey = (sample: string): string =>
  `call ${sha256(sample.toWellFormed().replace(/\r\n?/g, '\n').trim())}`

/**
 * Returns the origin of a server as a content security policy can name it; undefined for an address
 * with another scheme, with credentials, or with a host that a policy has no form for or would read
 * as more than one source.
 */
export function serverOrigin(address: string): string | undefined {
  // Parsing would leave out line breaks.
  if (/[\s\p{Cc}\\]/u.test(address) || !URL.canParse(address)) return undefined
  const { protocol, username, password, origin } = new URL(address)
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return undefined
  // Hosts may contain characters such as ";" and "*" that have a meaning in a policy.
  return /^https?:\/\/[a-z\d_](?:[a-z\d_.-]*[a-z\d_])?(?::\d{1,5})?$/.test(origin)
    ? origin
    : undefined
}

/**
 * Returns the call of an operation as JSON; undefined when the spec hides it or a page cannot send
 * it.
 */
export function callJson(document: unknown, callable: Callable): string | undefined {
  const { operation, item } = callable
  if ([operation, item, document].some(each => ownIn(each, 'x-hideTryItPanel') === true))
    return undefined
  const call = callOf(document, callable)
  const json = call && JSON.stringify(call)
  return json !== undefined && json.length <= longestCall ? json : undefined
}

function callOf(
  document: unknown,
  { method, path, item, operation, parameters, body }: Callable,
): Call | undefined {
  const verb = method.toUpperCase()
  const servers = basesOf(serverUrls(document, operation, item))
  if (servers.length === 0 || refused.test(verb) || !path.startsWith('/')) return undefined

  const { fields, left } = fieldsOf(document, parameters)
  const { choices, left: lost } = credentialsOf(document, operation)
  const content = objectIn(
    ownIn(follow(document, ownIn(operation, 'requestBody')).value, 'content'),
  )
  const types = /^(?:GET|HEAD)$/.test(verb) ? [] : Object.keys(content).slice(0, mostBodies)
  const bodies = types
    .filter(
      type =>
        /^[\w.+-]+\/[\w.+-]+(?:$|[ ;])/.test(type) && !fileType.test(type) && type.length <= 100,
    )
    .map(type => {
      const text = type === body?.type ? body.text : exampleGiven(document, content[type])?.text
      return { type, text: text !== undefined && text.length <= longestBody ? text : '' }
    })

  return {
    method: verb,
    path,
    servers,
    fields,
    auth: choices,
    bodies,
    left: [...new Set([...left, ...lost])],
    files: types.some(type => fileType.test(type)),
  }
}

/** Returns the addresses without query, fragment, and slash at their end. */
function basesOf(urls: readonly string[]): string[] {
  const bases = urls.flatMap(url => {
    const origin = serverOrigin(url)
    return origin === undefined ? [] : origin + new URL(url).pathname.replace(/\/+$/, '')
  })
  return [...new Set(bases)].slice(0, mostServers)
}

function credentialsOf(
  document: unknown,
  operation: unknown,
): { choices: CallCredential[][]; left: string[] } {
  const left: string[] = []
  const schemes = ownIn(ownIn(document, 'components'), 'securitySchemes')
  const asked = listIn(ownIn(operation, 'security') ?? ownIn(document, 'security')).slice(
    0,
    mostChoices,
  )

  const choices = asked.map(choice =>
    Object.keys(objectIn(choice))
      .slice(0, mostCredentials)
      .flatMap(label =>
        credentialOf(follow(document, ownIn(schemes, label)).value, label.slice(0, 100), left),
      ),
  )

  return { choices: choices.length === 1 && choices[0]!.length === 0 ? [] : choices, left }
}

/**
 * Returns what a scheme asks for, in a list of at most one. Adds the name of what a page cannot
 * send to `left`.
 */
function credentialOf(scheme: unknown, label: string, left: string[]): CallCredential[] {
  const type = textIn(scheme, 'type')
  const word = textIn(scheme, 'scheme').toLowerCase()
  if (type === 'oauth2' || type === 'openIdConnect') return [{ kind: 'bearer', label }]
  if (type === 'http' && (word === 'bearer' || word === 'basic')) return [{ kind: word, label }]
  if (type === 'http') return [{ kind: 'key', label, in: 'header', name: 'Authorization' }]
  if (type !== 'apiKey') return []

  const name = textIn(scheme, 'name')
  const where = textIn(scheme, 'in')
  if (where === 'query' && name !== '') return [{ kind: 'key', label, in: 'query', name }]
  if (where === 'header' && isSendableHeader(name))
    return [{ kind: 'key', label, in: 'header', name }]
  left.push(name || label)

  return []
}
