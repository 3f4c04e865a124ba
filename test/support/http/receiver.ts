import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = {
  path: string
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read payloads of every shape
  body: any
  at: number
}

/** A host for webhooks: the deliveries it received, and how it answers them. */
export type Receiver = {
  url: string
  received: Received[]
  /** Answers a request; 204 by default. */
  answer: (response: ServerResponse, got: Received) => void
  /** Waits for this many deliveries, up to a minute. Returns all of them. */
  until: (count: number) => Promise<Received[]>
  stop: () => Promise<void>
}

/** Opens a receiver on a free port. */
export async function openReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString('utf8')
    const { url: path = '', headers } = request
    const got = { path, headers, text, body: JSON.parse(text), at: Date.now() }
    receiver.received.push(got)
    receiver.answer(response, got)
  })

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer: response => response.writeHead(204).end(),
    until: async count => {
      for (let tries = 0; receiver.received.length < count && tries < 3000; tries++)
        await new Promise(resolve => setTimeout(resolve, 20))
      if (receiver.received.length < count)
        throw new Error(`${receiver.received.length} of ${count} deliveries came`)
      return receiver.received
    },
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  return receiver
}

/**
 * Returns whether a delivery is signed with the secret, at most five minutes ago, as a receiving
 * program would check it.
 */
export function isSigned(
  { headers, text }: Pick<Received, 'headers' | 'text'>,
  secret: string,
): boolean {
  const [, time = '', given = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['stemma-signature'])) ?? []
  const expected = createHmac('sha256', secret).update(`${time}.${text}`).digest()
  const fresh = Math.abs(Date.now() / 1000 - Number(time)) < 300
  const bytes = Buffer.from(given, 'hex')
  return fresh && bytes.length === expected.length && timingSafeEqual(bytes, expected)
}
