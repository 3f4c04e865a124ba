import {
  listOf,
  type ParameterStyle,
  pathText,
  pathValue,
  queryPairs,
} from '../../content/openapi/parameter-address.ts'

/**
 * A credential that the reader fills in: one text, or a name and a password; or the session of the
 * reader at the server of the page.
 */
export type Credential =
  | { kind: 'session'; label: string; name: string; csrf: string }
  | { kind: 'bearer'; label: string }
  | { kind: 'basic'; label: string }
  | { kind: 'key'; label: string; in: 'header' | 'query'; name: string }

type Field = ParameterStyle & {
  in: 'path' | 'query' | 'header'
  required: boolean
  value: string
  values?: string[]
}

/** A call as the page describes it. */
export type Call = {
  method: string
  path: string
  servers: string[]
  fields: Field[]
  auth: Credential[][]
  bodies: { type: string; text: string }[]
  left: string[]
  files: boolean
}

/**
 * What the reader entered; `values` are in the order of the fields, `secrets` in that of the
 * credentials of a way.
 */
export type Filled = {
  server: string
  values: readonly string[]
  way: number
  secrets: readonly (readonly string[])[]
  body?: { type: string; text: string } | undefined
}

/** A request to send, or the name of what cannot be sent as it was entered. */
type Built =
  | { url: string; headers: [name: string, value: string][]; body: string | undefined }
  | { bad: string }

/** Returns the request of a call with what the reader entered. */
export function requestOf(call: Call, filled: Filled): Built {
  const { server, values, body } = filled
  const entered = call.fields.map((field, at) => ({ field, value: values[at] ?? '' }))
  const given = entered.filter(({ value }) => value !== '')
  const query = given
    .filter(({ field }) => field.in === 'query')
    .flatMap(({ field, value }) => queryPairs(field, valuesIn(field, value)))
  const headers = given
    .filter(({ field }) => field.in === 'header')
    .map(({ field, value }): [string, string] => [
      field.name,
      valuesIn(field, value).join(',').trim(),
    ])

  const path = pathText(call.path, name => {
    const there = entered.find(({ field }) => field.in === 'path' && field.name === name)
    return there && pathValue(there.field, valuesIn(there.field, there.value))
  })

  for (const [at, credential] of (call.auth[filled.way] ?? []).entries())
    authorize(credential, filled.secrets[at] ?? [], query, headers)
  if (body?.text) headers.push(['Content-Type', body.type])

  const bad = headers.find(([, value]) => !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
  if (bad) return { bad: bad[0] }

  const address = server + path
  const url =
    query.length > 0 ? `${address}${address.includes('?') ? '&' : '?'}${query.join('&')}` : address

  // A path must not lead to another server than the one that the reader sees, nor, with dots, to
  // another path.
  if (isAt(url, server, address)) return { url, headers, body: body?.text || undefined }

  const dots = entered.find(({ field, value }) => field.in === 'path' && /^\.\.?$/.test(value))

  return { bad: dots?.field.name ?? call.path }
}

/** Returns whether a browser would send a request to this server with the path of this address. */
function isAt(url: string, server: string, address: string): boolean {
  if (!URL.canParse(url)) return false
  const { origin, pathname } = new URL(url)
  return origin === new URL(server).origin && origin + pathname === address.split('?', 1)[0]
}

const valuesIn = ({ joint }: Field, value: string): string[] => (joint ? listOf(value) : [value])

function authorize(
  credential: Credential,
  [first = '', second = '']: readonly string[],
  query: string[],
  headers: [string, string][],
): void {
  if (credential.kind === 'session') {
    headers.push(['Stemma-Session', credential.csrf])
    return
  }
  const secret = first.trim()
  if (secret === '' && second === '') return
  const set = (name: string, value: string) => {
    const at = headers.findIndex(([each]) => each.toLowerCase() === name.toLowerCase())
    if (at >= 0) headers.splice(at, 1)
    headers.push([name, value])
  }

  if (credential.kind === 'bearer')
    set('Authorization', `Bearer ${secret.replace(/^bearer\s+/i, '')}`)
  else if (credential.kind === 'basic')
    set('Authorization', `Basic ${base64(`${secret}:${second}`)}`)
  else if (credential.in === 'header') set(credential.name, secret)
  else query.push(...queryPairs(credential, [secret]))
}

const base64 = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
