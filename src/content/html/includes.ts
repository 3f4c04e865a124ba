import type { Steps } from '../../lib/slices.ts'
import { longestPage, pageTree } from '../markup/parse.ts'
import type { MarkupElement, MarkupNode } from '../markup/tree.ts'
import type { HtmlTargets } from './page-html.ts'
import type { Origin } from './sheet.ts'

/** The most levels of includes within includes. */
const mostIncludes = 6

/** Reusable content by the element that includes it. */
export type Included = Map<MarkupElement, { nodes: readonly MarkupNode[]; origin: Origin }>

type Including = { include: HtmlTargets['include']; found: Included; room: number }

/**
 * Returns the reusable content of a page, in steps. A file is not included in itself, and a page
 * includes at most 1 MB, in at most six levels.
 */
export function* includedIn(
  root: MarkupElement,
  origin: Origin,
  include: HtmlTargets['include'],
): Steps<Included> {
  const including: Including = { include, found: new Map(), room: longestPage }
  yield* search(including, root, origin, origin.file === undefined ? [] : [origin.file])
  return including.found
}

function* search(
  including: Including,
  node: MarkupElement,
  origin: Origin,
  trail: readonly string[],
): Steps<void> {
  for (const inner of node.nodes) {
    if (typeof inner === 'string') continue
    if (inner.name === '%include') yield* read(including, inner, origin, trail)
    else if (inner.blocks) yield* search(including, inner, origin, trail)
  }
}

function* read(
  including: Including,
  node: MarkupElement,
  origin: Origin,
  trail: readonly string[],
): Steps<void> {
  const content = including.include(origin.file, node.attributes.src ?? '')
  including.room -= content ? content.markdown.length + 100 : 0
  if (!content || trail.includes(content.path) || trail.length > mostIncludes || including.room < 0)
    return
  const { root, notes } = content.tree ?? (yield* pageTree(content.markdown, content.path))
  const inner = { file: content.path, notes }
  including.found.set(node, { nodes: root.nodes, origin: inner })
  yield* search(including, root, inner, [...trail, content.path])
}
