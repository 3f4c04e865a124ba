import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { findPageByPath, findRedirectedPage } from '../../content/tree/find-page.ts'
import { defaultId } from '../../content/tree/identity.ts'

/** The paths of a tree in the form in which spellings of the same address are equal. */
const foldedPaths = new WeakMap<ContentTree, ReadonlyMap<string, PageNode>>()

const fold = (path: string): string =>
  path
    .normalize('NFC')
    .toLowerCase()
    .replace(/\.(?:html?|md|markdown)$/, '')
    .replace(/(?:^|\/)(?:readme|index)$/, '')

function folded(content: ContentTree): ReadonlyMap<string, PageNode> {
  const known = foldedPaths.get(content)
  if (known) return known
  const made = new Map<string, PageNode>()
  for (const node of content.pageById.values()) {
    const path = fold(node.path)
    if (node.path !== '' && !made.has(path)) made.set(path, node)
  }
  foldedPaths.set(content, made)
  return made
}

/**
 * Returns the document or group at the path of an address, also for other spellings of it, for the first address of a page
 * that was renamed, and for the redirects of the space.
 */
export function findPage(content: ContentTree, spaceId: string, path: string): PageNode | undefined {
  const exact = findPageByPath(content, path)
  if (exact) return exact
  const [wanted, root] = [fold(path), content.config.root]
  const born = [`${path}.md`, `${path}/README.md`].map(file => defaultId(spaceId, root + file))
  return (
    folded(content).get(wanted) ??
    born.map(id => content.pageById.get(id)).find(node => node !== undefined) ??
    findRedirectedPage(content, path)
  )
}
