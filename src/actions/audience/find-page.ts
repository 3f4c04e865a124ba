import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { findPageByPath, findRedirectedPage } from '../../content/tree/find-page.ts'
import { missing } from '../../errors.ts'

/** Returns the page with an id. Throws 'missing'. */
export function pageById(content: ContentTree, id: string): PageNode {
  const page = content.pageById.get(id)
  if (!page) throw missing('page', id)
  return page
}

/**
 * Returns the document or group at a path of the tree. Ignores surrounding slashes, a trailing
 * `.md`, and a trailing `README` or `index`, and follows the redirects of `.gitbook.yaml` from a path without a
 * page. Throws 'missing'.
 */
export function pageByPath(content: ContentTree, path: string): PageNode {
  const page = findPageByPath(content, path) ?? findRedirectedPage(content, path)
  if (!page) throw missing('page at the path', path)
  return page
}
