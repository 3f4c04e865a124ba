import type { Steps } from '../../lib/slices.ts'
import { isInline } from '../markup/lines.ts'
import { isReserved } from './clean.ts'
import type { PageElement, PageNode } from './nodes.ts'

/** How many nodes at the beginning and at the end of two containers are the same. */
type SharedEnds = { head: number; tail: number }

function sameAttributes(
  { attributes: one }: PageElement,
  { attributes: other }: PageElement,
): boolean {
  let count = 0
  for (const name in one) {
    if (one[name] !== other[name]) return false
    count++
  }
  for (const _ in other) count--
  return count === 0
}

/**
 * Reports whether two nodes are the same and can be kept as they are. Footnotes are not: they
 * depend on the page.
 */
function isSame(one: PageNode, other: PageNode): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other
  if (one.name !== other.name || one.name === 'note' || one.nodes.length !== other.nodes.length)
    return false
  if (!sameAttributes(one, other) || isReserved(one)) return false
  for (let at = 0; at < one.nodes.length; at++)
    if (!isSame(one.nodes[at]!, other.nodes[at]!)) return false
  return true
}

/**
 * Returns how many nodes at both ends are the same, up to a block, so that no line of words is
 * divided.
 */
export function* sharedEnds(
  { nodes: one }: PageElement,
  { nodes: other }: PageElement,
): Steps<SharedEnds> {
  const shortest = Math.min(one.length, other.length)
  let head = 0
  let tail = 0

  for (let at = 0; at < shortest && isSame(one[at]!, other[at]!); at++) {
    if (!isInline(one[at]!)) head = at + 1
    yield
  }

  for (let at = 1; at <= shortest - head && isSame(one.at(-at)!, other.at(-at)!); at++) {
    if (!isInline(one.at(-at)!)) tail = at
    yield
  }

  return { head, tail }
}
