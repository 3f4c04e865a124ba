import type { Steps } from '../../lib/slices.ts'
import { wordsOf } from './likeness.ts'
import type { ChangeKind, Leftover, Marking } from './marking.ts'
import type { PageElement } from './nodes.ts'

/**
 * A marked element of a page: the name of the element and what happened to it. Ids count from 1 in
 * reading order.
 */
export type PageChange = { id: number; kind: ChangeKind; name: string }

/** Blocks with fewer words are too common to be recognized in another container. */
const leastWords = 3

/**
 * Turns blocks that were removed from one container and added to another into moved ones. Returns
 * the removed ones to drop.
 */
export function* joinMoved({ gone, come, bags, former }: Marking): Steps<Set<PageElement>> {
  const dropped = new Set<PageElement>()
  const places = new Map<number, Leftover[]>()
  for (const leftover of gone) {
    const known = places.get(leftover.key)
    if (known) known.push(leftover)
    else places.set(leftover.key, [leftover])
  }

  for (const list of places.values()) list.reverse()

  for (const [at, { marked, key, element }] of come.entries()) {
    if (at % 256 === 255) yield
    const list = places.get(key)
    if (!list || list.length === 0 || wordsOf(bags, element).size < leastWords) continue
    const from = list.pop()!
    dropped.add(from.marked)
    former.set(marked, from.element)
    marked.attributes = { ...marked.attributes, change: 'moved' }
  }

  return dropped
}

/** Leaves out dropped blocks and numbers the marked ones in reading order. */
export function* numberChanges(
  opened: ReadonlySet<PageElement>,
  dropped: ReadonlySet<PageElement>,
  root: PageElement,
  changes: PageChange[],
): Steps<void> {
  const waiting = [root]
  for (let seen = 1; waiting.length > 0; seen++) {
    if (seen % 256 === 0) yield
    const node = waiting.pop()!
    const { change } = node.attributes

    if (change !== undefined && node !== root) {
      const id = changes.length + 1
      node.attributes = { ...node.attributes, 'change-id': String(id) }
      changes.push({ id, kind: change as ChangeKind, name: node.name })
    }

    if (node !== root && !opened.has(node)) continue
    if (dropped.size > 0)
      node.nodes = node.nodes.filter(inner => typeof inner === 'string' || !dropped.has(inner))

    for (let at = node.nodes.length - 1; at >= 0; at--) {
      const inner = node.nodes[at]
      if (typeof inner === 'object') waiting.push(inner)
    }
  }
}
