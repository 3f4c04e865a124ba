import type { Call } from '../crash/clients/call.ts'
import type { Node } from './node.ts'
import type { Written } from './writers.ts'

type Page = { title: string; pages?: Page[] }

const titlesOf = (pages: readonly Page[]): string[] =>
  pages.flatMap(({ title, pages: below = [] }) => [title, ...titlesOf(below)])

async function readTitles(call: Call, space: string): Promise<string[]> {
  const path = `/v1/spaces/${space}/content/pages`
  const reply = await call({ method: 'GET', path })
  if (reply?.status !== 200) throw new Error(`${path}: ${reply?.status} ${reply?.text}`)
  return titlesOf(reply.body.pages)
}

async function readComments(call: Call, space: string): Promise<string[]> {
  const found: string[] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const path: string = `/v1/spaces/${space}/comments?format=markdown&limit=100${next && `&page=${encodeURIComponent(next)}`}`
    const reply = await call({ method: 'GET', path })
    if (reply?.status !== 200) throw new Error(`${path}: ${reply?.status} ${reply?.text}`)
    for (const { body } of reply.body.items) found.push(body.markdown.trim())
    next = reply.body.next?.page
  }
  return found
}

/**
 * Returns the acknowledged writes that a node does not have, and those that it has more than once.
 */
export async function findLosses(
  node: Node,
  spaces: readonly string[],
  written: readonly Written[],
): Promise<string[]> {
  const losses: string[] = []
  for (const space of spaces) {
    const there = new Map<string, number>()
    const found = [
      ...(await readTitles(node.call!, space)),
      ...(await readComments(node.call!, space)),
    ]
    for (const token of found) there.set(token, (there.get(token) ?? 0) + 1)
    for (const { token, kind, outcome, node: by } of written.filter(each => each.space === space)) {
      const times = there.get(token) ?? 0
      if (times > 1) losses.push(`${kind} ${token} of ${space} is at ${node.name} ${times} times`)
      if (times === 0 && outcome === 'acknowledged')
        losses.push(`${kind} ${token} of ${space}, acknowledged by ${by}, is not at ${node.name}`)
    }
  }
  return losses
}
