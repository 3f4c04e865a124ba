import { Agent, request } from 'node:http'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Reply = { status: number; body: any; text: string; replayed: boolean; location: string }

export type Ask = {
  method: string
  path: string
  body?: unknown
  /** Sent as Idempotency-Key. */
  key?: string | undefined
  /** The token of somebody else. */
  as?: string | undefined
  /** What it writes, in a word or two, where the path does not say it. */
  kind?: string
}

/** Sends a request as JSON; what came back, or undefined when the connection broke: nobody knows what happened then. */
export type Call = (ask: Ask) => Promise<Reply | undefined>

/** A way to call a server, and to hang up. */
export function openCall(url: string, token: string): { call: Call; close: () => void } {
  // None is kept: the server closes one that was idle, and what is sent just then got no answer for no fault of its own.
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
          body: /json/.test(response.headers['content-type'] ?? '') && text ? JSON.parse(text) : undefined,
          replayed: response.headers['idempotent-replayed'] === 'true',
          location: response.headers.location ?? '',
        })
      })
      asked.once('error', () => resolve(undefined))
      asked.end(text)
    })
  return { call, close: () => agent.destroy() }
}
