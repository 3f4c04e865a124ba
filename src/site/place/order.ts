import type { ContentTree, PageNode } from '../../content/tree/build.ts'

/**
 * The documents of a tree in reading order, and the place of each in it. Hidden pages have no
 * place.
 */
type ReadingOrder = { pages: readonly PageNode[]; placeOf: ReadonlyMap<string, number> }

const kept = new WeakMap<ContentTree, ReadingOrder>()

/** Returns the reading order of a tree: that of its list of pages. */
export function readingOrder(content: ContentTree): ReadingOrder {
  const known = kept.get(content)
  if (known) return known
  const pages: PageNode[] = []
  const waiting = [...content.pages].reverse()

  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!isListed(node)) continue
    if (node.type === 'document') pages.push(node)
    for (let at = node.pages.length - 1; at >= 0; at--) waiting.push(node.pages[at]!)
  }

  const made = { pages, placeOf: new Map(pages.map(({ id }, at) => [id, at])) }

  kept.set(content, made)

  return made
}

/** Returns whether the list of pages shows an entry, and the entries below it. */
export const isListed = ({ type, facts }: PageNode): boolean =>
  type !== 'computed' && facts?.frontMatter.hidden !== true

/** Returns the document whose text an entry shows: itself, or the first one below a group. */
export function documentOf(node: PageNode): PageNode | undefined {
  if (node.type === 'document') return node
  for (const below of node.pages) {
    const found = isListed(below) ? documentOf(below) : undefined
    if (found) return found
  }
  return undefined
}
