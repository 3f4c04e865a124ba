import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { answerOf } from './answer-of.ts'
import { type ConnectionPolicy, publicConnection } from './public-connection.ts'

/** How a request went: `ok` when the host answered with a status from 200 to 299; else why not, in one sentence. */
export type Sent = { ok: true; status: number } | { ok: false; status?: number; error: string }

const headersMs = 5_000
const allMs = 10_000
/** How much of an answer is waited for: nothing in it is kept. */
const mostBytes = 64 * 1024

/**
 * Posts bytes to an http or https address, within ten seconds; the host has five to begin its answer. Redirects are not
 * followed. Never throws.
 */
export async function postBytes(
  url: URL,
  body: Buffer,
  headers: Record<string, string>,
  policy: ConnectionPolicy,
  stop: AbortSignal,
): Promise<Sent> {
  const over = new AbortController()
  const end = () => over.abort()
  const late = setTimeout(end, headersMs)
  const last = setTimeout(end, allMs)
  stop.addEventListener('abort', end, { once: true })
  if (stop.aborted) end()
  try {
    const response = await open(url, body, headers, policy, over.signal)
    clearTimeout(late)
    const status = response.statusCode ?? 0
    await drain(response)
    if (status >= 200 && status <= 299) return { ok: true, status }
    const why = status >= 300 && status <= 399 ? ', and redirects are not followed' : ''
    return { ok: false, status, error: `${url.host} answered ${status}${why}.` }
  } catch (error) {
    return { ok: false, error: reasonOf(error, url, over.signal) }
  } finally {
    clearTimeout(late)
    clearTimeout(last)
    stop.removeEventListener('abort', end)
  }
}

async function open(
  url: URL,
  body: Buffer,
  headers: Record<string, string>,
  policy: ConnectionPolicy,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const connection = publicConnection(url, policy)
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const all = { ...headers, 'user-agent': 'Stemma', 'content-length': body.length }
  const sent = request(url, { method: 'POST', agent: false, headers: all, signal, ...connection })
  const answer = answerOf(sent)
  sent.end(body)
  return answer
}

/** Lets the host finish what it says, unless that is long or takes too long: its status is known by now. */
async function drain(response: IncomingMessage): Promise<void> {
  let left = mostBytes
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      left -= part.length
      if (left < 0) break
    }
  } catch {
    // It broke off, or the time was over.
  }
  response.destroy()
}

function reasonOf(error: unknown, url: URL, signal: AbortSignal): string {
  if (signal.aborted) return `${url.host} took too long to answer.`
  if (error instanceof Error && error.name === 'Fault') return `${error.message}.`
  const code = String((error as { code?: unknown }).code ?? '')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `There is no host ${url.hostname}.`
  if (/CERT|SSL|TLS|SIGNATURE/.test(code)) return `The certificate of ${url.host} could not be verified.`
  return `${url.host} could not be reached.`
}
