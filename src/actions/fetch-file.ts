import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { Fault, invalid } from '../errors.ts'
import { type ConnectionPolicy, publicConnection } from '../net/public-connection.ts'

const mostBytes = 20 * 1024 * 1024
const mostRedirects = 3

/** How many bytes several files may have together; each piece that arrives is taken off. */
export type ByteBudget = { left: number }

/**
 * The bytes at an http or https address of the public internet, up to 20 MB within ten seconds. Every address of the
 * host is checked, the connection goes to one that was, and each redirect is checked like the first. Throws 'invalid'
 * with the reason, 'too_large' when the budget is used up.
 */
export async function fetchFile(
  address: string,
  policy: ConnectionPolicy,
  budget: ByteBudget = { left: mostBytes },
): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(10_000)
  let url = new URL(address)
  for (let hops = 0; ; hops++) {
    const response = await open(url, policy, signal)
    const { statusCode = 0, headers } = response
    if (statusCode === 200) return readAll(response, url, budget)
    response.destroy()
    if (statusCode < 300 || statusCode > 399 || !headers.location)
      throw invalid(`${url.host} answers ${statusCode} instead of the file`)
    if (hops >= mostRedirects) throw invalid(`${url.host} redirects too often`)
    const next = new URL(headers.location, url)
    if (next.protocol !== url.protocol && next.protocol !== 'https:')
      throw invalid(`${url.host} redirects to an address that is not secure`)
    url = next
  }
}

function open(url: URL, policy: ConnectionPolicy, signal: AbortSignal): Promise<IncomingMessage> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalid('only http and https are taken')
  if (url.username !== '' || url.password !== '') throw invalid('an address with a password is not taken')
  const connection = publicConnection(url, policy)
  const get = url.protocol === 'https:' ? httpsGet : httpGet
  return new Promise((resolve, reject) => {
    const headers = { 'user-agent': 'Stemma', accept: '*/*', 'accept-encoding': 'identity' }
    const request = get(url, { agent: false, headers, signal, ...connection }, resolve)
    request.on('error', error => reject(reasonOf(error, url, signal)))
  })
}

const reasonOf = (error: Error, url: URL, signal: AbortSignal): Error => {
  if (error.name === 'Fault') return error
  return invalid(signal.aborted ? `${url.host} took too long` : `${url.host} could not be reached`)
}

async function readAll(response: IncomingMessage, url: URL, budget: ByteBudget): Promise<Uint8Array> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      size += part.length
      budget.left -= part.length
      if (size > mostBytes) throw invalid('the file is larger than 20 MB')
      if (budget.left < 0) throw new Fault('too_large', 'the files are too large together')
      parts.push(part)
    }
  } catch (error) {
    if ((error as Error).name === 'Fault') throw error
    throw invalid(`${url.host} broke off`)
  }
  return Buffer.concat(parts)
}
