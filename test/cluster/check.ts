import type { Call } from '../crash/clients/call.ts'
import type { Node } from './node.ts'
import { specs, type Written } from './writing.ts'

type Page = { title: string; pages?: Page[] }

const titlesOf = (pages: readonly Page[]): string[] =>
  pages.flatMap(({ title, pages: below = [] }) => [title, ...titlesOf(below)])

async function read(call: Call, path: string) {
  const reply = await call({ method: 'GET', path })
  if (reply?.status !== 200) throw new Error(`${path}: ${reply?.status} ${reply?.text}`)
  return reply.body
}

/** Reads all items of a list. */
// biome-ignore lint/suspicious/noExplicitAny: lists of every kind
async function readList(call: Call, path: string): Promise<any[]> {
  // biome-ignore lint/suspicious/noExplicitAny: lists of every kind
  const found: any[] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const more: string = next && `&page=${encodeURIComponent(next)}`
    const body = await read(call, `${path}${more}`)
    found.push(...body.items)
    next = body.next?.page
  }
  return found
}

/** Returns the tokens that a node has in a space, or of all specs. */
async function readTokens(call: Call, space: string): Promise<string[]> {
  if (space === specs)
    return (await readList(call, '/v1/orgs/default/openapi?limit=100')).map(({ slug }) => slug)
  const path = `/v1/spaces/${space}`
  const [{ pages }, comments] = await Promise.all([
    read(call, `${path}/content/pages`),
    readList(call, `${path}/comments?format=markdown&limit=100`),
  ])
  // One that is merged meanwhile is in both lists.
  const requests = new Map<string, string>()
  for (const status of ['open', 'merged'])
    for (const { id, subject } of await readList(
      call,
      `${path}/change-requests?status=${status}&limit=100`,
    ))
      requests.set(id, subject)
  return [
    ...titlesOf(pages),
    ...comments.map(({ body }) => body.markdown.trim()),
    ...requests.values(),
  ]
}

/**
 * Returns the acknowledged writes to some spaces that a node does not have, and those that it has more
 * than once.
 */
export async function findLosses(
  node: Node,
  spaces: readonly string[],
  written: readonly Written[],
): Promise<string[]> {
  // Those that are acknowledged while the node is read need not be there.
  const known = [...written]
  const losses: string[] = []
  for (const space of spaces) {
    const there = new Map<string, number>()
    for (const token of await readTokens(node.call!, space))
      there.set(token, (there.get(token) ?? 0) + 1)
    for (const { token, kind, outcome, node: by } of known.filter(each => each.space === space)) {
      const times = there.get(token) ?? 0
      if (times > 1) losses.push(`${kind} ${token} of ${space} is at ${node.name} ${times} times`)
      if (times === 0 && outcome === 'acknowledged')
        losses.push(`${kind} ${token} of ${space}, acknowledged by ${by}, is not at ${node.name}`)
    }
  }
  return losses
}
