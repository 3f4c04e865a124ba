import { Agent, request } from 'node:http'

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
export type Reply = { status: number; body: any; text: string; replayed: boolean; location: string }

export type Ask = {
  method: string
  path: string
  body?: unknown
  /** True for an operation that refuses an Idempotency-Key. */
  keyless?: boolean
  /** Sent as Idempotency-Key. */
  key?: string | undefined
  /** The token of another user. */
  as?: string | undefined
  /** What the request writes, in a word or two, where the path does not say it. */
  kind?: string
}

/**
 * Sends a request as JSON. Returns the response, or undefined when the connection broke and the
 * outcome is unknown.
 */
export type Call = (ask: Ask) => Promise<Reply | undefined>

/** A client of a server, and a way to close its connections. */
export function openCall(url: string, token: string): { call: Call; close: () => void } {
  // No keep-alive: the server closes idle connections, which would break a request sent at that
  // moment.
  const agent = new Agent({ keepAlive: false, maxSockets: 64 })
  const { hostname, port } = new URL(url)
  const call: Call = ({ method, path, body, key, as = token }) =>
    new Promise(resolve => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        authorization: `Bearer ${as}`,
        ...(text !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        }),
        ...(key !== undefined && { 'idempotency-key': key }),
      }

      const asked = request({ agent, hostname, port, method, path, headers }, response => {
        let answer = ''
        response.setEncoding('utf8').on('data', (piece: string) => {
          answer += piece
        })
        response.once('error', () => resolve(undefined))
        response.once('close', () => resolve(response.complete ? read(answer) : undefined))
        const read = (text: string): Reply => ({
          status: response.statusCode ?? 0,
          text,
          body:
            /json/.test(response.headers['content-type'] ?? '') && text
              ? JSON.parse(text)
              : undefined,
          replayed: response.headers['idempotent-replayed'] === 'true',
          location: response.headers.location ?? '',
        })
      })

      asked.once('error', () => resolve(undefined))
      asked.end(text)
    })

  return { call, close: () => agent.destroy() }
}
