import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { answerOf } from './answer-of.ts'
import { fetchErrorOf } from './fetch-error.ts'
import { publicConnection, type Route } from './public-connection.ts'

export type TimeLimits = {
  /** Milliseconds until the host starts its response, for each redirect separately. */
  headersMs: number
  /** Milliseconds for everything. */
  allMs: number
  stop?: AbortSignal | undefined
}

/** Runs `work` with a controller that aborts on timeout or when the caller stops. */
export async function withinTime<Result>(
  { allMs, stop }: TimeLimits,
  work: (over: AbortController) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController()
  const end = () => over.abort()
  const last = setTimeout(end, allMs)
  stop?.addEventListener('abort', end, { once: true })
  if (stop?.aborted) end()

  try {
    return await work(over)
  } finally {
    clearTimeout(last)
    stop?.removeEventListener('abort', end)
  }
}

/**
 * Sends one request (a POST if there is a body) and returns the response with its body unread.
 * Redirects are not followed. Throws FetchError.
 */
export async function sendRequest(
  url: URL,
  route: Route,
  {
    headers,
    body,
    headersMs,
  }: { headers: Record<string, string>; body?: Buffer; headersMs: number },
  over: AbortController,
): Promise<IncomingMessage> {
  const late = setTimeout(() => over.abort(), headersMs)
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  try {
    const sent = send(url, {
      method: body ? 'POST' : 'GET',
      agent: false,
      headers: {
        ...headers,
        'user-agent': 'Stemma',
        ...(body && { 'content-length': body.length }),
      },
      signal: over.signal,
      ...publicConnection(url, route),
    })
    const answer = answerOf(sent)
    sent.end(body)

    return await answer
  } catch (error) {
    throw fetchErrorOf(error, url, over.signal)
  } finally {
    clearTimeout(late)
  }
}
