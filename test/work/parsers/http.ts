import { gzipSync } from 'node:zlib'
import type { App } from '../../support/app.ts'
import { numbered, type Parser, times } from './parser.ts'

type Sent = { path: string; type: string; body: string | Buffer; headers?: Record<string, string> }

/** Sends a request of a stranger. */
async function send({ path, type, body, headers }: Sent, app: App): Promise<void> {
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: { 'content-type': type, origin: app.url, ...headers },
    body: new Uint8Array(Buffer.from(body)),
  })
  await response.arrayBuffer()
  if (response.status >= 500 || response.status < 400)
    throw new Error(`${path}: ${response.status}`)
}

const form = (body: string): Sent => ({
  path: '/sso/sign-in',
  type: 'application/x-www-form-urlencoded',
  body,
})

/** A form with files. No form takes one: it must be refused unread. */
const multipart = (body: string): Sent => ({
  path: '/sso/sign-in',
  type: 'multipart/form-data; boundary=b',
  body: `--b\r\n${body}\r\n--b--\r\n`,
})

export const formParser: Parser = {
  name: 'forms',
  most: 16_384,
  mostMs: 100,
  forms: {
    fields: bytes => form(numbered('a#=b&', bytes)),
    'fields without a name': bytes => form(times('&', bytes)),
    'escaped bytes': bytes => form(`token=${times('%41', bytes)}`),
    'escapes that do not end': bytes => form(`token=${times('%', bytes)}`),
    'parts of a form with files': bytes =>
      multipart(numbered('--b\r\nContent-Disposition: form-data; name="#"\r\n\r\n', bytes)),
    'boundaries that do not end': bytes => multipart(times('\r\n--', bytes)),
  },
  parse: send,
}

const json = (body: string): Sent => ({ path: '/v1/sso/token', type: 'application/json', body })

export const jsonParser: Parser = {
  name: 'JSON of strangers',
  most: 64_000,
  forms: {
    fields: bytes => json(`{${numbered('"a#":1,', bytes)}"z":1}`),
    levels: bytes => json(times('[', bytes / 2) + times(']', bytes / 2)),
    escapes: bytes => json(`{"code":"${times('\\u0041', bytes)}"}`),
    'a number': bytes => json(`{"code":${times('1', bytes)}}`),
    'a gzipped text': bytes => ({
      ...json(''),
      body: gzipSync(`{"code":"${times('a', bytes)}"}`),
      headers: { 'content-encoding': 'gzip' },
    }),
  },
  parse: send,
}
