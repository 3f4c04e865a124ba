import { pageSpellings } from '../../content/files.ts'
import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import {
  findPageAt,
  findPageByOtherPath,
  findPageOfFolder,
  findRedirectedPage,
  foldAddress,
  foldPath,
} from '../../content/tree/find-page.ts'
import { defaultId } from '../../content/tree/identity.ts'
import { missing } from '../../errors.ts'
import { findFormerPage } from './find-former-page.ts'
import type { OpenContent } from './open-content.ts'

/** Returns the page with an id. Throws 'missing'. */
export function pageById(content: ContentTree, id: string): PageNode {
  const page = content.pageById.get(id)
  if (!page) throw missing('page', id)
  return page
}

/** Returns the document or group at a path of the tree, as `findPageOrFormer`. Throws 'missing'. */
export async function pageByPath(open: OpenContent, path: string): Promise<PageNode> {
  const page = await findPageOrFormer(open, path)
  if (!page) throw missing('page at the path', path)
  return page
}

type Folded = Record<'address' | 'path', ReadonlyMap<string, PageNode>>

/** The paths of a tree in the forms in which spellings of the same address are equal. */
const foldedPaths = new WeakMap<ContentTree, Folded>()

function folded(content: ContentTree): Folded {
  const known = foldedPaths.get(content)
  if (known) return known
  const address = new Map<string, PageNode>()
  const path = new Map<string, PageNode>()

  for (const node of content.pageById.values()) {
    if (node.path === '') continue
    const [exact, loose] = [foldAddress(node.path), foldPath(node.path)]
    if (!address.has(exact)) address.set(exact, node)
    if (!path.has(loose)) path.set(loose, node)
  }

  const made = { address, path }
  foldedPaths.set(content, made)

  return made
}

/** Returns the document or group that has an address now, in any spelling of it. */
const pageWithAddress = (content: ContentTree, path: string): PageNode | undefined =>
  findPageAt(content, path) ?? folded(content).address.get(foldAddress(path))

/**
 * Returns the document or group at a path that is not its address: with the name of the page of a
 * folder, or the first path of a renamed page.
 */
function pageNear(content: ContentTree, spaceId: string, path: string): PageNode | undefined {
  const known = findPageOfFolder(content, path) ?? folded(content).path.get(foldPath(path))
  if (known) return known
  const name = content.config.root + path.replace(/\.(?:html?|mdx?|markdown)$/i, '')
  return pageSpellings(name)
    .map(file => content.pageById.get(defaultId(spaceId, file)))
    .find(node => node !== undefined)
}

/**
 * Returns what is left for a path that is no address: the redirects of the space, and other paths
 * that lead to a page.
 */
const pageBehind = (content: ContentTree, path: string): PageNode | undefined =>
  findRedirectedPage(content, path) ?? findPageByOtherPath(content, path)

/**
 * Returns the document or group at the path of an address, also for other spellings of it, for the
 * first address of a page that was renamed, and for the redirects of the space.
 */
export const findPage = (
  content: ContentTree,
  spaceId: string,
  path: string,
): PageNode | undefined =>
  pageWithAddress(content, path) ?? pageNear(content, spaceId, path) ?? pageBehind(content, path)

/**
 * Finds a page like `findPage`, and the page that had the path in between: before the files with
 * this name, because another page may have been added at a path that is a former address.
 */
export async function findPageOrFormer(
  open: OpenContent,
  path: string,
): Promise<PageNode | undefined> {
  const { content } = open.shown
  return (
    pageWithAddress(content, path) ??
    (await findFormerPage(open, path)) ??
    pageNear(content, open.space.id, path) ??
    pageBehind(content, path)
  )
}
