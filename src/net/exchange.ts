import type { IncomingMessage } from 'node:http'
import { FetchError, fetchErrorOf } from './fetch-error.ts'
import type { Route } from './public-connection.ts'
import { sendRequest, withinTime } from './send-request.ts'

const limits = { headersMs: 5_000, allMs: 10_000 }

type Exchange = {
  headers: Record<string, string>
  body?: Buffer | undefined
  mostBytes: number
}

/**
 * Sends one request to an https address (or http, where private addresses are allowed): a POST if
 * there is a body. Returns the whole response within ten seconds, and does not follow redirects.
 * Throws FetchError.
 */
export function exchange(
  url: URL,
  route: Route,
  { headers, body, mostBytes }: Exchange,
): Promise<{ status: number; headers: Record<string, string>; bytes: Buffer }> {
  return withinTime(limits, async over => {
    if (url.protocol !== 'https:' && !(route.allowPrivate && url.protocol === 'http:'))
      throw new FetchError('The address must start with https://.')
    const asked = {
      headers: { ...headers, 'accept-encoding': 'identity' },
      headersMs: limits.headersMs,
    }
    const response = await sendRequest(url, route, body ? { ...asked, body } : asked, over)
    const bytes = await readAll(response, url, mostBytes, over.signal)
    const names = ['content-type', 'cache-control', 'www-authenticate'].filter(
      name => response.headers[name],
    )
    const shown = Object.fromEntries(names.map(name => [name, String(response.headers[name])]))

    return { status: response.statusCode ?? 0, headers: shown, bytes }
  })
}

async function readAll(
  response: IncomingMessage,
  url: URL,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      size += part.length
      if (size > mostBytes) throw new FetchError(`The response of ${url.host} is too large.`)
      parts.push(part)
    }
  } catch (error) {
    throw fetchErrorOf(error, url, signal, 'closed the connection before the end of the response')
  } finally {
    response.destroy()
  }

  return Buffer.concat(parts)
}
