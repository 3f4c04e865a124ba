import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { findPageAt, findPageOfFolder, findRedirectedPage } from '../../content/tree/find-page.ts'
import { missing } from '../../errors.ts'
import { findFormerPage } from './find-former-page.ts'
import type { OpenContent } from './open-content.ts'

/** Returns the page with an id. Throws 'missing'. */
export function pageById(content: ContentTree, id: string): PageNode {
  const page = content.pageById.get(id)
  if (!page) throw missing('page', id)
  return page
}

/**
 * Returns the document or group at a path of the tree. Ignores surrounding slashes, a trailing
 * `.md`, and a trailing `README` or `index`. A path without a page leads to the page that had it
 * before, or where the redirects of `.gitbook.yaml` lead. Throws 'missing'.
 */
export async function pageByPath(open: OpenContent, path: string): Promise<PageNode> {
  const { content } = open.shown
  const page =
    findPageAt(content, path) ??
    (await findFormerPage(open, path)) ??
    findPageOfFolder(content, path) ??
    findRedirectedPage(content, path)
  if (!page) throw missing('page at the path', path)
  return page
}
