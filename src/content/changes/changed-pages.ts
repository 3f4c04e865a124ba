import type { Steps } from '../../lib/slices.ts'
import type { ContentTree } from '../tree/build.ts'
import type { PageNode } from '../tree/page-node.ts'

/** A page that only the former revision has, and where it was. */
export type RemovedPage = {
  page: PageNode
  /** The former parent, which may be removed as well; undefined at the top level. */
  parentId: string | undefined
  /** The page before it below this parent, which may be removed as well; undefined for the first one. */
  afterId: string | undefined
}

export type ChangedPages = {
  /** The pages and groups of the new revision that the former one lacks, and documents with other bytes, by id. */
  marks: Map<string, 'changed' | 'new'>
  /** In the order of the former revision, parents before children. */
  removed: RemovedPage[]
}

type Pages = Pick<ContentTree, 'pages' | 'pageById'>

/** Pages are compared in steps of this many. */
const together = 512

/** Returns which pages of two revisions of a space differ, in steps. Linear in the pages of both. */
export function* changedPages(before: Pages, after: Pages): Steps<ChangedPages> {
  const found: ChangedPages = { marks: new Map(), removed: [] }
  let seen = 0
  function* compare(pages: readonly PageNode[]): Steps<void> {
    for (const page of pages) {
      const former = before.pageById.get(page.id)
      if (!former) found.marks.set(page.id, 'new')
      else if (former.file?.oid !== page.file?.oid) found.marks.set(page.id, 'changed')
      if (++seen % together === 0) yield
      if (page.pages.length > 0) yield* compare(page.pages)
    }
  }
  function* collect(pages: readonly PageNode[], parentId: string | undefined): Steps<void> {
    let afterId: string | undefined
    for (const page of pages) {
      const now = after.pageById.get(page.id)
      if (!now) found.removed.push({ page, parentId, afterId })
      // A page that is below another parent now is not beside the removed one.
      if (!now || now.parentId === parentId) afterId = page.id
      if (++seen % together === 0) yield
      if (page.pages.length > 0) yield* collect(page.pages, page.id)
    }
  }
  yield* compare(after.pages)
  yield* collect(before.pages, undefined)
  return found
}
