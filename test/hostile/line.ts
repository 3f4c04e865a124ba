import type { Stage } from './stage.ts'

/** The outcome: an HTTP status or the state of an import, with its text. */
export type Seen = { status: number | string; text: string; headers?: Record<string, string> }

/** A hostile input: what to send, the expected outcome, and what has to hold afterwards. */
export type Line = {
  /** The number in the planning table of hostile inputs, such as "E8". */
  id: string
  input: string
  /** A status, or several accepted ones: "400|404". */
  status: string
  /** A pattern that the answer has to match, or a sentence that `send` verifies. */
  effect: RegExp | string
  send: (stage: Stage) => Promise<Seen>
  /** Skipped by `--quick`. */
  slow: boolean
  /** The maximum wait of other requests in the meantime, in milliseconds. */
  mostWait: number
  /** The maximum duration, in milliseconds. */
  mostMs: number
  /** Why the input cannot be sent here, or does not apply. */
  skipped?: string
}

type Options = { slow?: boolean; mostWait?: number; mostMs?: number }

/** Returns a line of a table. */
export const line = (
  id: string,
  input: string,
  status: string | number,
  effect: Line['effect'],
  send: Line['send'],
  { slow = false, mostWait = slow ? 250 : 1_500, mostMs = 90_000 }: Options = {},
): Line => ({ id, input, status: String(status), effect, send, slow, mostWait, mostMs })

/** Returns a line that is not sent, with the reason. */
export const skipped = (id: string, input: string, why: string): Line => ({
  ...line(id, input, 'none', 'nothing', () => Promise.reject(new Error(why))),
  skipped: why,
})

/** Ends a line that does not apply to this stage, with the reason. */
export class NotHere extends Error {}

/** Throws unless a condition holds. */
export function must(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(what)
}

/** Returns an answer without when people were last seen, which the server notes once a minute. */
const withoutUses = (text: string): string => text.replaceAll(/"lastSeenAt":"[^"]*",?/g, '')

/** Sends something that must not change the content of a path. */
export const unchanged = (path: string, send: Line['send']) => async (stage: Stage) => {
  const before = await stage.call('GET', path)
  const seen = await send(stage)
  const after = await stage.call('GET', path)
  must(
    before.status === 200 && withoutUses(before.text) === withoutUses(after.text),
    `${path} is another one`,
  )
  return seen
}

type CallOptions = { as?: string; headers?: Record<string, string> }

/** Sends a request; `{space}` and similar names in the path are replaced by ids. */
export const call =
  (request: string, body?: unknown, { as = 'admin', headers = {} }: CallOptions = {}) =>
  (stage: Stage): Promise<Seen> => {
    const [method = 'GET', path = '/'] = request.split(' ')
    return stage.call(method, path, { as, body, headers })
  }
