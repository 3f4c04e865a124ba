import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Reply } from '../crash/clients/call.ts'
import type { Random } from '../crash/random.ts'
import type { Node } from './node.ts'

/** A write that was acknowledged, or whose outcome is unknown. */
export type Written = {
  space: string
  /** The title of the page, or the text of the comment; no other write has it. */
  token: string
  kind: 'page' | 'merged page' | 'comment'
  outcome: 'acknowledged' | 'unknown'
  /** When the answer came, by `performance.now()`. */
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
}

/** How long a client repeats a request, in milliseconds. */
const patienceMs = 60_000
/** How long it waits for an answer, as a load balancer does. */
const answerMs = 3_000
const pauseMs = 50

/** Answers after which a client sends the request again, at the next node. */
const isLater = (reply: Reply | undefined): boolean =>
  !reply || [409, 429, 502, 503].includes(reply.status)

/**
 * Sends a request, with one key, to one node after the other until one answers. Returns the answer
 * and the node; undefined: none did in a minute.
 */
async function insist(
  writing: Writing,
  path: string,
  body: unknown,
): Promise<{ reply: Reply; node: string } | undefined> {
  const { nodes, random } = writing
  const key = randomUUID()
  const until = performance.now() + patienceMs
  for (let turn = random.below(nodes.length), sent = 0; performance.now() < until; turn++) {
    const node = nodes[turn % nodes.length]!
    const reply = await Promise.race([
      node.call?.({ method: 'POST', path, body, key }),
      setTimeout(answerMs, undefined, { ref: false }),
    ])
    if (sent++ === 1) writing.repeated++
    if (!isLater(reply)) return { reply: reply!, node: node.name }
    await setTimeout(pauseMs)
  }
  return undefined
}

let last = 0
const fresh = (kind: string) => `${kind}${++last}z`

type Note = Pick<Written, 'space' | 'token' | 'kind'>

/** Records how a write ended. Returns the body of a success. */
function record(
  { written, refused }: Writing,
  note: Note,
  answer: Awaited<ReturnType<typeof insist>>,
): Reply['body'] {
  const at = performance.now()
  if (answer && answer.reply.status >= 300) {
    refused.push(`${note.kind}: ${answer.reply.status} ${answer.reply.text.slice(0, 200)}`)
    return undefined
  }
  written.push({
    ...note,
    at,
    node: answer?.node ?? '',
    outcome: answer ? 'acknowledged' : 'unknown',
  })
  return answer?.reply.body ?? {}
}

const insertPage = (title: string) => ({
  changes: [{ operation: 'insert_page', title, document: { markdown: `# ${title}\n` } }],
})

async function writePage(writing: Writing, space: string): Promise<void> {
  const token = fresh('page')
  const answer = await insist(writing, `/v1/spaces/${space}/content`, insertPage(token))
  record(writing, { space, token, kind: 'page' }, answer)
}

async function writeComment(writing: Writing, space: string): Promise<void> {
  const token = fresh('comment')
  const body = { body: { markdown: token } }
  const answer = await insist(writing, `/v1/spaces/${space}/comments`, body)
  record(writing, { space, token, kind: 'comment' }, answer)
}

/** Opens a change request, writes to it, and merges it, each perhaps at another node. */
async function mergePage(writing: Writing, space: string): Promise<void> {
  const path = `/v1/spaces/${space}/change-requests`
  const token = fresh('merged')
  const made = await insist(writing, path, { subject: token })
  const id = made?.reply.body?.id as string | undefined
  if (made?.reply.status !== 201 || !id) return
  const edited = await insist(writing, `${path}/${id}/content?compat=false`, insertPage(token))
  if (!edited || edited.reply.status >= 300) {
    record(writing, { space, token, kind: 'merged page' }, edited)
    return
  }
  const merged = await insist(writing, `${path}/${id}/merge`, {})
  // Another request may have changed the table of contents: a conflict is an answer.
  if (merged && merged.reply.status < 300 && merged.reply.body.result !== 'merge') return
  record(writing, { space, token, kind: 'merged page' }, merged)
}

/** Writes to one of the spaces after the other until `isOver`. */
export async function write(
  writing: Writing,
  spaces: readonly string[],
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const space = writing.random.pick(spaces)
    const of = writing.random.below(10)
    if (of < 7) await writePage(writing, space)
    else if (of < 9) await writeComment(writing, space)
    else await mergePage(writing, space)
  }
}
