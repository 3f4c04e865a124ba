import type { ContentTree, PageNode } from '../tree/build.ts'
import { findPageByOtherPath } from '../tree/find-page.ts'

/** Returns the addresses of pages that these paths of the repository may be. */
export const addressesAt = (root: string, paths: readonly string[]): string[] =>
  paths.flatMap(path => (path.startsWith(root) ? [path.slice(root.length).replace(/\/$/, '')] : []))

/**
 * Returns the page that asks in its front matter for the address at one of these paths, or that this
 * path leads to, too. Files that exist come first: look for them before.
 */
export function pageAsking(
  tree: Pick<ContentTree, 'pageByPath' | 'config' | 'otherPaths' | 'pageById'>,
  paths: readonly string[],
): PageNode | undefined {
  for (const address of addressesAt(tree.config.root, paths)) {
    const page = tree.pageByPath.get(address)
    if (page?.isAsked) return page
    const other = page ? undefined : findPageByOtherPath(tree, address)
    if (other) return other
  }
  return undefined
}
