import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Ask, Reply } from '../crash/clients/call.ts'
import type { Random } from '../crash/random.ts'
import type { Node } from './node.ts'

/** The key of all OpenAPI specs, which are in no space. */
export const specs = 'specs'

/** A write that was acknowledged, or whose outcome is unknown. */
export type Written = {
  /** The space, or `specs`. */
  space: string
  /**
   * The title of the page, of the change request or of the spec, or the text of the comment; no other
   * write has it.
   */
  token: string
  kind:
    | 'page'
    | 'comment'
    | 'change request'
    | 'merged page'
    | 'pushed page'
    | 'imported page'
    | 'spec'
  outcome: 'acknowledged' | 'unknown'
  /** When it was first sent, and when the answer came, by `performance.now()`. */
  begun: number
  at: number
  /** The node that answered. */
  node: string
}

export type Writing = {
  nodes: readonly Node[]
  random: Random
  written: Written[]
  /** Answers that were neither a success nor a refusal that a client repeats. */
  refused: string[]
  /** The writes that were sent more than once. */
  repeated: number
  /** The folder of the clones of this writer. */
  folder: string
  /** Makes a remote repository with one page, and returns its address. */
  makeRemote: (title: string) => Promise<{ url: string; ref: string }>
}

/** How long a client repeats a request, in milliseconds. */
export const patienceMs = 90_000
/** How long it waits for an answer, as a load balancer does. */
const answerMs = 3_000
export const pauseMs = 50

/** Answers after which a client sends the request again, at the next node. */
const isLater = (reply: Reply | undefined): boolean =>
  !reply || [409, 429, 502, 503].includes(reply.status)

/** What a node answered, and when the request was first sent. */
export type Answered = { reply: Reply; node: string }

/**
 * Sends a request, with one key, to one node after the other until one answers. Returns the answer
 * and the node; undefined: none did in time.
 */
export async function insist(
  writing: Writing,
  path: string,
  body: unknown,
  more: Partial<Ask> = {},
): Promise<Answered | undefined> {
  const { nodes, random } = writing
  const key = more.method === 'GET' ? undefined : randomUUID()
  const until = performance.now() + patienceMs
  for (let turn = random.below(nodes.length), sent = 0; performance.now() < until; turn++) {
    const node = nodes[turn % nodes.length]!
    const reply = await Promise.race([
      node.call?.({ method: 'POST', path, body, key, ...more }),
      setTimeout(answerMs, undefined, { ref: false }),
    ])
    if (sent++ === 1) writing.repeated++
    if (!isLater(reply)) return { reply: reply!, node: node.name }
    await setTimeout(pauseMs)
  }
  return undefined
}

let last = 0
/** Returns a word that no other write has. */
export const fresh = (kind: string): string => `${kind}${++last}z`

export type Note = Pick<Written, 'space' | 'token' | 'kind'> & { begun: number }

/** Records how a write ended. Returns the body of a success. */
export function record(
  { written, refused }: Pick<Writing, 'written' | 'refused'>,
  note: Note,
  answer: Answered | undefined,
): Reply['body'] {
  const at = performance.now()
  if (answer && answer.reply.status >= 300) {
    refused.push(`${note.kind}: ${answer.reply.status} ${answer.reply.text.slice(0, 200)}`)
    return undefined
  }
  const outcome = answer ? 'acknowledged' : 'unknown'
  written.push({ ...note, at, node: answer?.node ?? '', outcome })
  return answer?.reply.body ?? {}
}
