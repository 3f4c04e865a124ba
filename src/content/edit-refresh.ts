import type { PageFacts } from './page.ts'
import type { ContentTree, PageNode } from './tree.ts'
import { newNode } from './tree-node.ts'

/**
 * The tree with another blob and other facts in the place of a page's: for facts that change nothing else of the tree.
 * Costs the pages that stand together with it, not the whole tree.
 */
export function withFreshPage(tree: ContentTree, path: string, oid: string, facts: PageFacts): ContentTree {
  const page = tree.pageByFile.get(path)
  if (!page) return tree
  let top = page
  while (top.parent) top = top.parent
  const copies = new Map<PageNode, PageNode>()
  const copy = (node: PageNode, parent: PageNode | undefined): PageNode => {
    const fresh = newNode({ ...node, pages: [] }, parent)
    if (node === page) {
      fresh.file = { path, oid }
      fresh.facts = facts
    }
    copies.set(node, fresh)
    fresh.pages = node.pages.map(child => copy(child, fresh))
    return fresh
  }
  const fresh = copy(top, undefined)
  const swap = (map: ReadonlyMap<string, PageNode>) => {
    const swapped = new Map(map)
    for (const [key, node] of map) {
      const other = copies.get(node)
      if (other) swapped.set(key, other)
    }
    return swapped
  }
  return {
    ...tree,
    pages: tree.pages.map(node => (node === top ? fresh : node)),
    pageById: swap(tree.pageById),
    pageByPath: swap(tree.pageByPath),
    pageByFile: swap(tree.pageByFile),
  }
}
