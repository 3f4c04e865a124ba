import type { IncomingMessage } from 'node:http'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { FetchError, fetchErrorOf } from './fetch-error.ts'
import type { Route } from './public-connection.ts'
import { sendRequest, type TimeLimits, withinTime } from './send-request.ts'

export type FetchLimits = TimeLimits & {
  /** Decompressed bytes of this response. */
  mostBytes: number
  /**
   * Decompressed bytes that several fetches share; each subtracts what it receives, and fails below
   * 0.
   */
  budget?: { left: number }
  /**
   * Returns whether plain http is allowed on the public internet; it always is where private
   * addresses are.
   */
  allowHttp?: boolean
}

const mostRedirects = 3

/**
 * Fetches the bytes at an address, and returns them with the final address. Follows up to three
 * redirects, each checked like the first address, and decompresses the response. Throws FetchError.
 */
export function fetchUrl(
  address: string,
  route: Route,
  limits: FetchLimits,
): Promise<{ bytes: Buffer; url: string }> {
  return withinTime(limits, async over => {
    if (!URL.canParse(address)) throw new FetchError('The address is not a valid URL.')
    let url = new URL(address)
    for (let hops = 0; ; hops++) {
      const response = await open(url, route, limits, over)
      const { statusCode = 0, headers } = response
      if (statusCode === 200)
        return { bytes: await readAll(response, url, limits, over.signal), url: url.href }
      response.destroy()
      url = redirected(url, statusCode, headers.location)
      if (hops >= mostRedirects)
        throw new FetchError(`${url.host} redirects more than ${mostRedirects} times.`)
    }
  })
}

/**
 * Returns the target of a redirect. Throws FetchError for any other status and for a target that is
 * not allowed.
 */
function redirected(url: URL, status: number, location: string | undefined): URL {
  if (status < 300 || status > 399 || !location || !URL.canParse(location, url.href)) {
    const again = status === 429 || status >= 500
    throw new FetchError(`${url.host} answered ${status} instead of the file.`, { again })
  }

  const next = new URL(location, url.href)
  if (next.protocol !== url.protocol && next.protocol !== 'https:')
    throw new FetchError(
      `${url.host} redirects to an address that is not https, which is not allowed.`,
    )

  return next
}

function open(
  url: URL,
  route: Route,
  limits: FetchLimits,
  over: AbortController,
): Promise<IncomingMessage> {
  const allowHttp = limits.allowHttp || route.allowPrivate
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
    throw new FetchError(`The address must start with https://${allowHttp ? ' or http://' : ''}.`)
  if (url.username !== '' || url.password !== '')
    throw new FetchError('The address must not contain a user name or password.')

  const headers = {
    accept: 'application/json, application/yaml, */*',
    'accept-encoding': 'identity',
  }

  return sendRequest(url, route, { headers, headersMs: limits.headersMs }, over)
}

function tooLarge(url: URL, most: number): FetchError {
  const megabytes = Math.floor(most / 1024 ** 2)
  return new FetchError(`The file on ${url.host} is too large: the limit is ${megabytes} MB.`)
}

async function readAll(
  response: IncomingMessage,
  url: URL,
  { mostBytes, budget = { left: mostBytes } }: FetchLimits,
  signal: AbortSignal,
): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  try {
    const announced = Number(response.headers['content-length'] ?? 0)
    if (announced > mostBytes) throw tooLarge(url, mostBytes)

    if (announced > budget.left) {
      // An overdrawn budget tells the caller that the files together are too large.
      budget.left -= announced
      throw tooLarge(url, mostBytes)
    }

    for await (const part of decoded(response, url)) {
      size += part.length
      budget.left -= part.length
      if (size > mostBytes || budget.left < 0) throw tooLarge(url, mostBytes)
      parts.push(part)
    }
  } catch (error) {
    throw fetchErrorOf(error, url, signal, 'closed the connection before the end of the file')
  } finally {
    response.destroy()
  }

  return Buffer.concat(parts)
}

/** Decompresses the response of a host that compresses without being asked to. */
function decoded(response: IncomingMessage, url: URL): AsyncIterable<Buffer> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return response as AsyncIterable<Buffer>
  const decoders = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }
  if (!Object.hasOwn(decoders, encoding))
    throw new FetchError(`${url.host} sends the file in an unknown content encoding.`)

  const stream = decoders[encoding as keyof typeof decoders]()

  response.on('error', error => stream.destroy(error))

  return response.pipe(stream) as AsyncIterable<Buffer>
}
