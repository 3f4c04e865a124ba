import { Agent, type IncomingHttpHeaders, request } from 'node:http'

/** `ms` is the time from the start of the request to the last byte of the response. */
export type Answer = { status: number; headers: IncomingHttpHeaders; bytes: Buffer; ms: number }

/** A client with a token and one connection, which sends one request at a time. */
export type Caller = {
  /** Sends a request, with the body as JSON. Throws if the status is not expected. */
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  /** Like `call`, but returns the parsed JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a bench reads responses of every shape
  json: (method: string, path: string, options?: CallOptions) => Promise<any>
  close: () => void
}

export type CallOptions = {
  body?: unknown
  headers?: Record<string, string>
  /** The expected statuses; 200 by default. */
  status?: number | readonly number[]
}

/** A response with an unexpected status. */
export class Unexpected extends Error {
  readonly status: number
  constructor(asked: string, status: number, text: string) {
    super(`${asked} answered ${status}: ${text.slice(0, 300)}`)
    this.status = status
  }
}

/** Opens a caller of the server at `url`. */
export function openCaller(url: string, headers: Record<string, string>): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const call: Caller['call'] = async (method, path, { body, headers: more, status = 200 } = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const type = text === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await send(agent, url + path, method, { ...headers, ...type, ...more }, text)
    const right =
      typeof status === 'number' ? answer.status === status : status.includes(answer.status)
    if (!right) throw new Unexpected(`${method} ${path}`, answer.status, answer.bytes.toString())
    return answer
  }

  return {
    call,
    json: async (method, path, options) =>
      JSON.parse((await call(method, path, options)).bytes.toString()),
    close: () => agent.destroy(),
  }
}

const send = (
  agent: Agent,
  url: string,
  method: string,
  headers: Record<string, string>,
  text: string | undefined,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const sent = request(url, { agent, method, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const ms = performance.now() - started
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, bytes: Buffer.concat(chunks), ms })
      })
    })

    sent.on('error', reject)
    sent.end(text)
  })
