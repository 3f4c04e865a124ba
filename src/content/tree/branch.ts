import { type ContentTree, type PageNode, parentOf } from './build.ts'

/** Returns a page and the pages and groups above it, from the page up. */
export function branchOf(content: ContentTree, node: PageNode): PageNode[] {
  const branch: PageNode[] = []
  for (let each: PageNode | undefined = node; each; each = parentOf(content, each))
    branch.push(each)
  return branch
}
