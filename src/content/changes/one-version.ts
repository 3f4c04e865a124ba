import type { Steps } from '../../lib/slices.ts'
import type { PageElement, PageNode } from './nodes.ts'

/** What one version of a page with marks does not have. */
type Dropped = 'added' | 'removed'

const isDropped = ({ attributes }: PageElement, dropped: Dropped): boolean =>
  attributes.change === dropped || attributes.words === dropped

/** Yields the nodes of a marked page that one of its two versions has, with their marks. */
export function* nodesOfVersion(nodes: readonly PageNode[], dropped: Dropped): Steps<PageNode[]> {
  const kept: PageNode[] = []
  for (const [at, node] of nodes.entries()) {
    if (at % 256 === 255) yield
    if (typeof node === 'string' || node.nodes.length === 0) {
      if (typeof node === 'string' || !isDropped(node, dropped)) kept.push(node)
    } else if (!isDropped(node, dropped))
      kept.push({ ...node, nodes: yield* nodesOfVersion(node.nodes, dropped) })
  }

  return kept
}

/** Returns the words and sources of nodes of a marked page in one of its two versions. */
export function textOfVersion(nodes: readonly PageNode[], dropped: Dropped): string {
  const texts: string[] = []
  const waiting = [...nodes].reverse()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node === 'string') texts.push(node)
    else if (!isDropped(node, dropped)) {
      if (node.attributes.src !== undefined) texts.push(node.attributes.src)
      for (const inner of node.nodes.toReversed()) waiting.push(inner)
    }
  }

  return texts.join('')
}

/** Reports whether one of the two versions of a marked page has some of these nodes. */
export const isInVersion = (nodes: readonly PageNode[], dropped: Dropped): boolean =>
  nodes.some(node => (typeof node === 'string' ? /\S/.test(node) : !isDropped(node, dropped)))

/** Reports whether something in a node of a marked page is marked. */
export function hasMarks(node: PageNode): boolean {
  const waiting = [node]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') continue
    if (next.attributes.change !== undefined || next.attributes.words !== undefined) return true
    for (const inner of next.nodes) waiting.push(inner)
  }
  return false
}
