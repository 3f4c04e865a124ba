import type { IncomingMessage } from 'node:http'
import { FetchError } from './fetch-error.ts'
import type { Route } from './public-connection.ts'
import { sendRequest, withinTime } from './send-request.ts'

/**
 * The result of a request: `ok` for a status from 200 to 299; otherwise a sentence with the reason.
 */
export type Sent = { ok: true; status: number } | { ok: false; status?: number; error: string }

const limits = { headersMs: 5_000, allMs: 10_000 }
/** How much of a response is read; none of it is kept. */
const mostBytes = 64 * 1024

/**
 * Posts bytes to an http or https address, within ten seconds; the host has five of them to start
 * its response. Does not follow redirects. Never throws.
 */
export async function postBytes(
  url: URL,
  body: Buffer,
  headers: Record<string, string>,
  route: Route,
  stop: AbortSignal,
): Promise<Sent> {
  try {
    return await withinTime({ ...limits, stop }, async over => {
      const response = await sendRequest(
        url,
        route,
        { headers, body, headersMs: limits.headersMs },
        over,
      )
      const status = response.statusCode ?? 0
      await drain(response)
      if (status >= 200 && status <= 299) return { ok: true, status }

      const why = status >= 300 && status <= 399 ? ', and redirects are not followed' : ''

      return { ok: false, status, error: `${url.host} answered ${status}${why}.` }
    })
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return { ok: false, error: error.message }
  }
}

/** Reads a short response to its end; a long or late one can be dropped, as its status is known. */
async function drain(response: IncomingMessage): Promise<void> {
  let left = mostBytes
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      left -= part.length
      if (left < 0) break
    }
  } catch {
    // The connection broke or timed out.
  }

  response.destroy()
}
