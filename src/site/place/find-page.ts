import { findFormerPage } from '../../actions/audience/find-former-page.ts'
import type { OpenContent } from '../../actions/audience/open-content.ts'
import { pageSpellings } from '../../content/files.ts'
import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { findPageByPath, findRedirectedPage, foldPath } from '../../content/tree/find-page.ts'
import { defaultId } from '../../content/tree/identity.ts'

/** The paths of a tree in the form in which spellings of the same address are equal. */
const foldedPaths = new WeakMap<ContentTree, ReadonlyMap<string, PageNode>>()

function folded(content: ContentTree): ReadonlyMap<string, PageNode> {
  const known = foldedPaths.get(content)
  if (known) return known
  const made = new Map<string, PageNode>()

  for (const node of content.pageById.values()) {
    const path = foldPath(node.path)
    if (node.path !== '' && !made.has(path)) made.set(path, node)
  }

  foldedPaths.set(content, made)

  return made
}

/**
 * Returns the document or group at a path, also for other spellings of it and for the first path of
 * a renamed page.
 */
function presentPage(content: ContentTree, spaceId: string, path: string): PageNode | undefined {
  const exact = findPageByPath(content, path)
  if (exact) return exact
  const known = folded(content).get(foldPath(path))
  if (known) return known
  const name = content.config.root + path.replace(/\.(?:html?|mdx?|markdown)$/i, '')
  return pageSpellings(name)
    .map(file => content.pageById.get(defaultId(spaceId, file)))
    .find(node => node !== undefined)
}

/**
 * Returns the document or group at the path of an address, also for other spellings of it, for the
 * first address of a page that was renamed, and for the redirects of the space.
 */
export const findPage = (
  content: ContentTree,
  spaceId: string,
  path: string,
): PageNode | undefined => presentPage(content, spaceId, path) ?? findRedirectedPage(content, path)

/**
 * Finds a page like `findPage`, and, before the redirects of the space, the page that had the path
 * in between.
 */
export async function findPageOrFormer(
  open: OpenContent,
  path: string,
): Promise<PageNode | undefined> {
  const { content } = open.shown
  return (
    presentPage(content, open.space.id, path) ??
    (await findFormerPage(open, path)) ??
    findRedirectedPage(content, path)
  )
}
