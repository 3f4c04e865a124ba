import type { Steps } from '../../lib/slices.ts'
import { isInline } from '../markup/lines.ts'
import type { PageElement, PageNode } from './nodes.ts'

/** What has to be compared of two pages, and the nodes of the new one around it. */
type Compared = {
  before: PageElement
  after: PageElement
  head: readonly PageNode[]
  tail: readonly PageNode[]
}

/** Returns what is left of two pages without the same nodes at both ends, free of marks. */
export function* comparedParts(before: PageElement, after: PageElement): Steps<Compared> {
  const { head, tail } = yield* sharedEnds(before, after)
  const end = after.nodes.length - tail
  return {
    before: yield* cleanTree({
      ...before,
      nodes: before.nodes.slice(head, before.nodes.length - tail),
    }),
    after: yield* cleanTree({ ...after, nodes: after.nodes.slice(head, end) }),
    head: after.nodes.slice(0, head),
    tail: after.nodes.slice(end),
  }
}

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
  if (one.name !== other.name || one.name === '#note' || one.nodes.length !== other.nodes.length)
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
function* sharedEnds(
  { nodes: one }: PageElement,
  { nodes: other }: PageElement,
): Steps<{ head: number; tail: number }> {
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

/** The attributes of marks, which authors cannot set. */
const reserved = ['change', 'change-id', 'words']

/** Reports whether an element has an attribute of marks. */
const isReserved = ({ attributes }: PageElement): boolean =>
  attributes.change !== undefined ||
  attributes['change-id'] !== undefined ||
  attributes.words !== undefined

function withoutReserved(attributes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !reserved.includes(name)))
}

/** Returns a tree in which no element has the attributes of marks: the tree itself, if none has. */
function* cleanTree(root: PageElement): Steps<PageElement> {
  const waiting = [root]
  for (let seen = 1, element = waiting.pop(); element; element = waiting.pop()) {
    if (isReserved(element)) return yield* rebuilt(root)
    for (const node of element.nodes) if (typeof node !== 'string') waiting.push(node)
    if (seen++ % 256 === 0) yield
  }
  return root
}

function* rebuilt(element: PageElement): Steps<PageElement> {
  let nodes: PageNode[] | undefined
  for (const [at, node] of element.nodes.entries()) {
    if (at % 256 === 255) yield
    if (typeof node === 'string') continue
    if (node.nodes.length === 0 && !isReserved(node)) continue
    const clean = yield* rebuilt(node)
    if (clean === node) continue
    nodes ??= [...element.nodes]
    nodes[at] = clean
  }

  if (!nodes && !isReserved(element)) return element

  return {
    ...element,
    attributes: withoutReserved(element.attributes),
    nodes: nodes ?? element.nodes,
  }
}
