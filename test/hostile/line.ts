import type { Stage } from './stage.ts'

/** What came back: an HTTP status, or how an import ended, and the text that goes with it. */
export type Seen = { status: number | string; text: string; headers?: Record<string, string> }

/** One hostile input: what is sent, what must come back, and what must hold afterwards. */
export type Line = {
  /** As in the table of hostile inputs that the project was planned with, such as "E8". */
  id: string
  input: string
  /** A status, or several that are right: "400|404". */
  status: string
  /** A pattern that the answer must match, or a sentence for what `send` makes sure of. */
  effect: RegExp | string
  send: (stage: Stage) => Promise<Seen>
  /** Left out by `--quick`. */
  slow: boolean
  /** How long other requests may wait meanwhile, in milliseconds. */
  mostWait: number
  /** How long it may take, in milliseconds. */
  mostMs: number
  /** Why the input cannot be sent here, or cannot be given at all. */
  skipped?: string
}

type Options = { slow?: boolean; mostWait?: number; mostMs?: number }

/** One line of a table. */
export const line = (
  id: string,
  input: string,
  status: string | number,
  effect: Line['effect'],
  send: Line['send'],
  { slow = false, mostWait = slow ? 250 : 1_500, mostMs = 90_000 }: Options = {},
): Line => ({ id, input, status: String(status), effect, send, slow, mostWait, mostMs })

/** A line of the table that is not sent, and why. */
export const skipped = (id: string, input: string, why: string): Line => ({
  ...line(id, input, 'none', 'nothing', () => Promise.reject(new Error(why))),
  skipped: why,
})

/** Says that something which must hold does not. */
export function must(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(what)
}

/** Sends something that must leave what a path gives as it was. */
export const unchanged = (path: string, send: Line['send']) => async (stage: Stage) => {
  const before = await stage.call('GET', path)
  const seen = await send(stage)
  const after = await stage.call('GET', path)
  must(before.status === 200 && before.text === after.text, `${path} is another one`)
  return seen
}

type CallOptions = { as?: string; headers?: Record<string, string> }

/** Sends a request; `{space}` and its like in the path become ids. */
export const call =
  (request: string, body?: unknown, { as = 'admin', headers = {} }: CallOptions = {}) =>
  (stage: Stage): Promise<Seen> => {
    const [method = 'GET', path = '/'] = request.split(' ')
    return stage.call(method, path, { as, body, headers })
  }
