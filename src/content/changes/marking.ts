import type { Side } from './keys.ts'
import type { Bags } from './likeness.ts'
import type { PageElement, PageNode } from './nodes.ts'

/** A block that is marked as added or removed. */
export type Leftover = { marked: PageElement; key: number; element: PageElement }

/** The state of marking a page. */
export type Marking = {
  before: Side
  after: Side
  bags: Bags
  /**
   * The elements of the result whose name or attributes were others, or that were elsewhere, with
   * the former ones.
   */
  former: Map<PageElement, PageElement>
  /**
   * The names of former footnotes in the result, where the new page has another footnote of the
   * name.
   */
  renamed: ReadonlyMap<string, string>
  /** The blocks that may turn out to have moved to or from another container. */
  gone: Leftover[]
  come: Leftover[]
  /** The elements with changes inside. */
  opened: Set<PageElement>
}

export type ChangeKind = 'added' | 'edited' | 'removed' | 'moved'

/** Returns a copy of an element that is marked. */
export const marked = (element: PageElement, change: ChangeKind): PageElement => ({
  ...element,
  attributes: { ...element.attributes, change },
})

/**
 * Returns a node of the former page as it is part of the result: its footnotes are the former ones.
 */
export function formerNode(marking: Marking, node: PageNode): PageNode {
  if (marking.renamed.size === 0 || typeof node === 'string') return node
  const name = node.name === '#note' ? marking.renamed.get(node.attributes.name ?? '') : undefined
  if (name !== undefined) return { ...node, attributes: { ...node.attributes, name } }
  return { ...node, nodes: node.nodes.map(inner => formerNode(marking, inner)) }
}
