import { exitUsage, Failure } from './failure.ts'

/** What the server answered. `body` is the parsed JSON, undefined when it sent none. */
export type Reply = { status: number; headers: Headers; text: string; body: unknown }

/** The server could not be asked at all, or asked to come back: it may be starting again. */
export class Unreachable extends Failure {}

/** The flags of a command, by the names of the body fields that they set. */
export type FlagNames = Readonly<Record<string, string>>

/** Returns a sentence of the API as a user of the command line knows it: with flags for the names of body fields. */
export const inFlags = (sentence: string, flags: FlagNames): string =>
  sentence.replace(/"(\w+)"(?: in the body:)?/g, (whole, name: string) =>
    Object.hasOwn(flags, name) ? (flags[name] ?? whole) : whole,
  )

/** The longest that one request may take, e.g. the merge of a large change request. */
const longestMs = 300_000

/**
 * Sends one request to the server of STEMMA_URL (default `http://127.0.0.1:3000`) as the holder of STEMMA_TOKEN. `path`
 * begins with `/v1`. Throws Failure with the server's own sentence for every answer that is not a success; names of body
 * fields in it are replaced by those of `flags`.
 */
export async function callApi(
  method: string,
  path: string,
  body?: unknown,
  flags: FlagNames = {},
): Promise<Reply> {
  const { base, token } = readSurroundings()
  let response: Response
  let text: string
  try {
    response = await fetch(base + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(longestMs),
    })
    text = await response.text()
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    const why = cause?.code ? ` (${cause.code})` : ''
    throw new Unreachable(`No answer from ${base}${why}: does the server run, and is STEMMA_URL its address?`)
  }
  const reply = { status: response.status, headers: response.headers, text, body: parse(response, text) }
  if (!response.ok) throw refusal(base, reply, flags)
  return reply
}

/** All items of a list, page by page. */
export async function listApi<Item>(path: string, query: Record<string, string> = {}): Promise<Item[]> {
  const items: Item[] = []
  for (let page: string | undefined; ; ) {
    const asked = new URLSearchParams({ ...query, limit: '200', ...(page !== undefined && { page }) })
    const { body } = await callApi('GET', `${path}?${asked}`)
    const list = body as { items: Item[]; next?: { page: string } }
    items.push(...list.items)
    page = list.next?.page
    if (page === undefined) return items
  }
}

function readSurroundings(): { base: string; token: string } {
  const { STEMMA_URL: url = 'http://127.0.0.1:3000', STEMMA_TOKEN: token = '' } = process.env
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Failure(`STEMMA_URL is ${JSON.stringify(url)}; it takes an http or https URL.`, exitUsage)
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new Failure('Set STEMMA_TOKEN to a token of the API: "stemma token create" makes one.', exitUsage)
  return { base: url.replace(/\/+$/, ''), token }
}

function parse(response: Response, text: string): unknown {
  if (!/^application\/json\b/.test(response.headers.get('content-type') ?? '')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusal(base: string, { status, headers, body }: Reply, flags: FlagNames): Failure {
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location)
    return new Failure(`${base} sends us to ${location}: set STEMMA_URL to the address that answers itself.`)
  const message = (body as { error?: { message?: unknown } } | undefined)?.error?.message
  if (status === 401) return new Failure(`${base} does not take the token in STEMMA_TOKEN.`)
  if (status === 502 || status === 503 || status === 504)
    return new Unreachable(typeof message === 'string' ? message : `${base} cannot answer now (${status}).`)
  if (typeof message === 'string') return new Failure(inFlags(message, flags))
  return new Failure(`${base} answered ${status}, not as Stemma does: is STEMMA_URL its address?`)
}
