/** A credential that the reader fills in: one text, or a name and a password. */
type Credential =
  | { kind: 'bearer'; label: string }
  | { kind: 'basic'; label: string }
  | { kind: 'key'; label: string; in: 'header' | 'query'; name: string }

type Field = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  value: string
  values?: string[]
  joint?: ',' | ' ' | '|' | '&'
  before?: string
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

/** What the reader entered; `values` are in the order of the fields, `secrets` in that of the credentials of a way. */
export type Filled = {
  server: string
  values: readonly string[]
  way: number
  secrets: readonly (readonly string[])[]
  body?: { type: string; text: string } | undefined
}

/** A request to send, or the name of what cannot be sent as it was entered. */
export type Built =
  | { url: string; headers: [name: string, value: string][]; body: string | undefined }
  | { bad: string }

/** Returns the request of a call with what the reader entered. */
export function requestOf(call: Call, filled: Filled): Built {
  const { server, values, body } = filled
  const entered = call.fields.map((field, at) => ({ field, value: values[at] ?? '' }))
  const given = entered.filter(({ value }) => value !== '')
  const query = given
    .filter(({ field }) => field.in === 'query')
    .flatMap(({ field, value }) => pairs(field, value))
  const headers = given
    .filter(({ field }) => field.in === 'header')
    .map(({ field: { name, joint }, value }): [string, string] => [
      name,
      joint ? listIn(value).join(',') : value.trim(),
    ])
  let path = call.path
  for (const { field, value } of entered)
    if (field.in === 'path')
      path = path.replaceAll(`{${field.name}}`, () => (field.before ?? '') + encoded(field, value))
  for (const [at, credential] of (call.auth[filled.way] ?? []).entries())
    authorize(credential, filled.secrets[at] ?? [], query, headers)
  if (body?.text) headers.push(['Content-Type', body.type])
  const bad = headers.find(([, value]) => !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
  if (bad) return { bad: bad[0] }
  const address = server + path
  const url = query.length > 0 ? `${address}${address.includes('?') ? '&' : '?'}${query.join('&')}` : address
  // A path must not lead to another server than the one that the reader sees.
  const isThere = URL.canParse(url) && new URL(url).origin === new URL(server).origin
  return isThere ? { url, headers, body: body?.text || undefined } : { bad: call.path }
}

/** Encodes a text for an address, also one with half a character. */
const encode = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))

const pair = (name: string, value: string): string => `${encode(name)}=${value}`

/** Returns a query parameter; one with a list may be there more than once. */
const pairs = (field: Field, value: string): string[] =>
  field.joint === '&'
    ? listIn(value).map(each => pair(field.name, encode(each)))
    : [pair(field.name, encoded(field, value))]

const listIn = (value: string): string[] =>
  value
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')

/** Returns the value of a path or query parameter; the values of a list are joined as the field says. */
function encoded({ joint }: Field, value: string): string {
  if (!joint) return encode(value)
  return listIn(value)
    .map(encode)
    .join(joint === ',' ? ',' : encode(joint))
}

function authorize(
  credential: Credential,
  [first = '', second = '']: readonly string[],
  query: string[],
  headers: [string, string][],
): void {
  const secret = first.trim()
  if (secret === '' && second === '') return
  const set = (name: string, value: string) => {
    const at = headers.findIndex(([each]) => each.toLowerCase() === name.toLowerCase())
    if (at >= 0) headers.splice(at, 1)
    headers.push([name, value])
  }
  if (credential.kind === 'bearer') set('Authorization', `Bearer ${secret.replace(/^bearer\s+/i, '')}`)
  else if (credential.kind === 'basic') set('Authorization', `Basic ${base64(`${secret}:${second}`)}`)
  else if (credential.in === 'header') set(credential.name, secret)
  else query.push(pair(credential.name, encode(secret)))
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
