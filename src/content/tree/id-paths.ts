import type { Steps } from '../../lib/slices.ts'
import { directoryOf, isFolderPage } from '../files.ts'
import { foldSlug, safeSlug } from '../text/slug.ts'
import type { PageNode } from './page-node.ts'

/** The longest id that is part of a path. */
const longest = 100

/**
 * Returns pages by the paths, in the form that is compared, that the `id` of their front matter
 * gives them in Docusaurus: the id replaces the name of the file. A path that two pages would have
 * leads to neither.
 */
export function* idPaths(nodes: readonly PageNode[]): Steps<Map<string, PageNode>> {
  const pages = new Map<string, PageNode>()
  const twice = new Set<string>()

  for (const [at, node] of nodes.entries()) {
    if (at % 2048 === 2047) yield
    const id = idOf(node)
    if (id === undefined) continue
    const path = foldSlug(directoryOf(node.path) + safeSlug(id))
    if (path === foldSlug(node.path)) continue
    if (pages.has(path)) twice.add(path)
    pages.set(path, node)
  }

  for (const path of twice) pages.delete(path)

  return pages
}

/** Returns the id that gives a page a path; undefined for the page of a folder, or with a slug. */
function idOf({ path, file, facts }: PageNode): string | undefined {
  const { id, slug } = facts?.frontMatter ?? {}
  if (!file || path === '' || slug !== undefined || isFolderPage(file.path)) return undefined
  const isName = id !== undefined && id.length <= longest && /^[^/\\?#%~\p{Cc}]+$/u.test(id)
  return isName && !/^\.+$/.test(id) ? id : undefined
}
