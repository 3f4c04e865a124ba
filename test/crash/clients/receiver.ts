import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server that accepts webhook deliveries, after refusing some of them once. */
export type Receiver = {
  url: string
  /** How often each event was accepted, by its id. */
  taken: Map<string, number>
  problems: string[]
  close: () => Promise<void>
}

const mostSeconds = 300

/** Starts listening. Answers 500 to the first delivery of some events, as real hosts do. */
export async function openReceiver(secret: string): Promise<Receiver> {
  const taken = new Map<string, number>()
  const problems: string[] = []
  let seen = 0
  const take = (signature: string, body: string): number => {
    const problem = whatIsWrong(secret, signature, body)
    if (problem) problems.push(`a webhook sent ${problem}: ${body.slice(0, 200)}`)
    const { eventId } = JSON.parse(body) as { eventId: string }
    if (!taken.has(eventId) && ++seen % 50 === 0) return 500
    taken.set(eventId, (taken.get(eventId) ?? 0) + 1)
    return 200
  }

  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece
    })
    request.once('end', () =>
      response.writeHead(take(String(request.headers['stemma-signature']), body)).end(),
    )
  }).listen(0, '127.0.0.1')

  await new Promise(resolve => server.once('listening', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    taken,
    problems,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns what is wrong with a delivery, checked as the documentation describes, or undefined. */
function whatIsWrong(secret: string, signature: string, body: string): string | undefined {
  const [, time = '', signed = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? []
  if (time === '') return `the signature "${signature}"`
  const right = createHmac('sha256', secret).update(`${time}.${body}`).digest()
  if (!timingSafeEqual(right, Buffer.from(signed, 'hex'))) return 'a wrong signature'
  return Math.abs(Date.now() / 1000 - Number(time)) > mostSeconds ? 'an old signature' : undefined
}
