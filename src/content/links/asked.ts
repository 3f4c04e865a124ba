import type { ContentTree, PageNode } from '../tree/build.ts'

/** Returns the addresses of pages that these paths of the repository may be. */
export const addressesAt = (root: string, paths: readonly string[]): string[] =>
  paths.flatMap(path => (path.startsWith(root) ? [path.slice(root.length).replace(/\/$/, '')] : []))

/**
 * Returns the page that asks in its front matter for the address at one of these paths. Files that
 * exist come first: look for them before.
 */
export function pageAsking(
  { pageByPath, config }: Pick<ContentTree, 'pageByPath' | 'config'>,
  paths: readonly string[],
): PageNode | undefined {
  for (const address of addressesAt(config.root, paths)) {
    const page = pageByPath.get(address)
    if (page?.isAsked) return page
  }
  return undefined
}
