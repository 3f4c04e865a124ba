import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { answerOf } from './answer-of.ts'
import { type ConnectionPolicy, publicConnection } from './public-connection.ts'

/** Why nothing could be fetched; with `again`, another time it may be different. */
export class FetchError extends Error {
  readonly code: 'FETCH_TIMEOUT' | 'FETCH_ERROR'
  readonly again: boolean
  constructor(message: string, { code = 'FETCH_ERROR', again = false }: FetchFailure = {}) {
    super(message)
    this.code = code
    this.again = again
  }
}

type FetchFailure = { code?: FetchError['code']; again?: boolean }

export type FetchLimits = {
  /** Until the host begins its answer, and until all of it is there, in milliseconds. */
  headersMs: number
  allMs: number
  /** How many bytes there may be, unpacked; what several fetches share is taken off as it comes. */
  budget: { left: number }
  stop?: AbortSignal | undefined
}

const mostRedirects = 3

/**
 * The bytes at an https address of the public internet (with `allowPrivate` also of others, and over http), and the
 * address that they came from in the end. Every address of the host is checked, the connection goes to one that was, and
 * each of up to three redirects is checked like the first. Throws FetchError.
 */
export async function fetchUrl(
  address: string,
  policy: ConnectionPolicy,
  limits: FetchLimits,
): Promise<{ bytes: Buffer; url: string }> {
  const over = new AbortController()
  const end = () => over.abort()
  const last = setTimeout(end, limits.allMs)
  limits.stop?.addEventListener('abort', end, { once: true })
  if (limits.stop?.aborted) end()
  try {
    let url = new URL(address)
    for (let hops = 0; ; hops++) {
      const response = await open(url, policy, limits.headersMs, over)
      const { statusCode = 0, headers } = response
      if (statusCode === 200)
        return { bytes: await readAll(response, url, limits, over.signal), url: url.href }
      response.destroy()
      url = redirected(url, statusCode, headers.location)
      if (hops >= mostRedirects)
        throw new FetchError(`${url.host} redirects more than ${mostRedirects} times.`)
    }
  } finally {
    clearTimeout(last)
    limits.stop?.removeEventListener('abort', end)
  }
}

/** Where a redirect leads. Throws FetchError for any other answer, and for one that leads where nothing is fetched. */
function redirected(url: URL, status: number, location: string | undefined): URL {
  if (status < 300 || status > 399 || !location || !URL.canParse(location, url.href)) {
    const again = status === 429 || status >= 500
    throw new FetchError(`${url.host} answered ${status} instead of the file.`, { again })
  }
  const next = new URL(location, url.href)
  if (next.protocol !== url.protocol && next.protocol !== 'https:')
    throw new FetchError(`${url.host} redirects to an address that is not taken: only https is.`)
  return next
}

async function open(
  url: URL,
  policy: ConnectionPolicy,
  headersMs: number,
  over: AbortController,
): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:'
  if (!secure && !(policy.allowPrivate && url.protocol === 'http:'))
    throw new FetchError('Only https addresses are fetched.')
  if (url.username !== '' || url.password !== '')
    throw new FetchError('An address with credentials is not fetched.')
  const get = secure ? httpsGet : httpGet
  const late = setTimeout(() => over.abort(), headersMs)
  const headers = {
    'user-agent': 'Stemma',
    accept: 'application/json, application/yaml, */*',
    'accept-encoding': 'identity',
  }
  try {
    const connection = publicConnection(url, policy)
    return await answerOf(get(url, { agent: false, headers, signal: over.signal, ...connection }))
  } catch (error) {
    throw reasonOf(error, url, over.signal)
  } finally {
    clearTimeout(late)
  }
}

const tooLarge = (url: URL): FetchError =>
  new FetchError(`What ${url.host} sends is too large: a description may have 10 MB.`)

async function readAll(
  response: IncomingMessage,
  url: URL,
  { budget }: FetchLimits,
  signal: AbortSignal,
): Promise<Buffer> {
  if (Number(response.headers['content-length']) > budget.left) {
    response.destroy()
    throw tooLarge(url)
  }
  const parts: Buffer[] = []
  try {
    for await (const part of unpacked(response, url)) {
      budget.left -= part.length
      if (budget.left < 0) throw tooLarge(url)
      parts.push(part)
    }
  } catch (error) {
    throw error instanceof FetchError ? error : reasonOf(error, url, signal, 'broke off')
  } finally {
    response.destroy()
  }
  return Buffer.concat(parts)
}

/** Nothing packed was asked for; what comes so nevertheless is unpacked piece by piece, as far as somebody takes it. */
function unpacked(response: IncomingMessage, url: URL): AsyncIterable<Buffer> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return response as AsyncIterable<Buffer>
  const unpack = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }
  if (!Object.hasOwn(unpack, encoding))
    throw new FetchError(`${url.host} sends the file in an encoding that is not known.`)
  const stream = unpack[encoding as keyof typeof unpack]()
  response.on('error', error => stream.destroy(error))
  return response.pipe(stream) as AsyncIterable<Buffer>
}

function reasonOf(error: unknown, url: URL, signal: AbortSignal, otherwise = 'could not be reached'): Error {
  if (error instanceof FetchError) return error
  if (signal.aborted)
    return new FetchError(`${url.host} took too long to answer.`, { code: 'FETCH_TIMEOUT', again: true })
  if (error instanceof Error && error.name === 'Fault') return new FetchError(`${error.message}.`)
  const code = String((error as { code?: unknown }).code ?? '')
  if (code === 'ENOTFOUND') return new FetchError(`There is no host ${url.hostname}.`, { again: true })
  if (/CERT|SSL|TLS|SIGNATURE/.test(code))
    return new FetchError(`The certificate of ${url.host} could not be verified.`)
  if (/^Z_|BROTLI/.test(code)) return new FetchError(`What ${url.host} sends cannot be unpacked.`)
  return new FetchError(`${url.host} ${otherwise}.`, { again: true })
}
