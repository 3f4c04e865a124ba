import type { Reason } from '../../reasons.ts'
import { type Conflict, conflictLines } from '../output/conflict-lines.ts'
import { exitUsage, Failure } from '../output/failure.ts'
import { type FlagNames, inFlags } from '../output/in-flags.ts'
import { readSavedToken } from './token-file.ts'

/** A response of the server. `body` is the parsed JSON, undefined when there is none. */
type Reply = { status: number; headers: Headers; text: string; body: unknown }

/** The server did not answer or asked to try again: it may be restarting. */
export class Unreachable extends Failure {}

/** The server rejected the token: it is unknown, expired or revoked. */
export class Rejected extends Failure {}

/** The server refused the request, with the word of the reason, if it said one. */
export class Refused extends Failure {
  readonly reason: Reason | undefined

  constructor(sentence: string, reason: Reason | undefined) {
    super(sentence)
    this.reason = reason
  }
}

/** The time limit of one request, e.g. the merge of a large change request. */
const longestMs = 300_000

/**
 * Sends a request to the server at STEMMA_URL (default `http://127.0.0.1:3000`) with STEMMA_TOKEN,
 * or with the token that "stemma login" saved. `path` starts with `/v1`. Throws Failure with the
 * server's message for any response but a success; body fields in it are replaced by their `flags`.
 */
export async function callApi(
  method: string,
  path: string,
  body?: unknown,
  flags: FlagNames = {},
): Promise<Reply> {
  const base = readServer()
  return sendRequest({ base, token: readToken(base) }, method, path, body, flags)
}

/** Sends a request like `callApi`, to this server with this token, or without one. */
export async function sendRequest(
  { base, token }: { base: string; token?: string },
  method: string,
  path: string,
  body?: unknown,
  flags: FlagNames = {},
): Promise<Reply> {
  let response: Response
  let text: string
  try {
    response = await fetch(base + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(longestMs),
    })
    text = await response.text()
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    const why = cause?.code ? ` (${cause.code})` : ''
    throw new Unreachable(
      `No answer from ${base}${why}. Check that the server is running and that STEMMA_URL is its address.`,
    )
  }

  const reply = {
    status: response.status,
    headers: response.headers,
    text,
    body: parse(response, text),
  }
  if (!response.ok) throw refusal(base, reply, flags)

  return reply
}

/** Returns all items of a list, page by page. */
export async function listApi<Item>(
  path: string,
  query: Record<string, string> = {},
): Promise<Item[]> {
  const items: Item[] = []
  for (let page: string | undefined; ; ) {
    const asked = new URLSearchParams({
      ...query,
      limit: '200',
      ...(page !== undefined && { page }),
    })
    const { body } = await callApi('GET', `${path}?${asked}`)
    const list = body as { items: Item[]; next?: { page: string } }
    items.push(...list.items)
    page = list.next?.page
    if (page === undefined) return items
  }
}

/**
 * Returns the address of the server, without a trailing slash. Throws Failure unless STEMMA_URL is
 * one.
 */
export function readServer(): string {
  const { STEMMA_URL: url = 'http://127.0.0.1:3000' } = process.env
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Failure(
      `STEMMA_URL is ${JSON.stringify(url)}; it must be an http or https URL.`,
      exitUsage,
    )
  return url.replace(/\/+$/, '')
}

/**
 * Returns the token for a server: STEMMA_TOKEN, which belongs to the server at STEMMA_URL, or the
 * one that "stemma login" saved. Throws Failure without one.
 */
export function readToken(base: string): string {
  const token = findToken(base)
  if (token === undefined)
    throw new Failure(
      'Set STEMMA_TOKEN to an API token, which "stemma token create" creates, or sign in with "stemma login".',
      exitUsage,
    )
  return token
}

/** Returns the token for a server like `readToken`; undefined without one. */
export function findToken(base: string): string | undefined {
  const { STEMMA_TOKEN: set } = process.env
  const own = set && base === readServer() ? set : undefined
  const token = own || (readSavedToken(base)?.token ?? '')
  return /^[\x21-\x7e]+$/.test(token) ? token : undefined
}

function parse(response: Response, text: string): unknown {
  if (!/^application\/json\b/.test(response.headers.get('content-type') ?? '')) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function refusal(base: string, { status, headers, body }: Reply, flags: FlagNames): Failure {
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location)
    return new Failure(`${base} redirects to ${location}. Set STEMMA_URL to the final address.`)
  const { message, reason } =
    (body as { error?: { message?: unknown; reason?: Reason } } | undefined)?.error ?? {}

  if (status === 401)
    return new Rejected(
      !process.env.STEMMA_TOKEN
        ? `${base} rejected the token that "stemma login" saved. Sign in again.`
        : `${base} rejected the token in STEMMA_TOKEN.`,
    )

  if (status === 502 || status === 503 || status === 504)
    return new Unreachable(
      typeof message === 'string' ? message : `${base} is temporarily unavailable (${status}).`,
    )

  if (typeof message === 'string') {
    const details = (body as { details?: { conflicts?: readonly Conflict[] } }).details
    return new Refused(
      [inFlags(message, flags), ...conflictLines(details?.conflicts ?? [])].join('\n'),
      reason,
    )
  }

  return new Failure(`${base} answered ${status} and is not a Stemma server. Check STEMMA_URL.`)
}
