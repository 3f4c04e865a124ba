import type { Steps } from '../../lib/slices.ts'
import type { ContentTree } from '../tree/build.ts'
import type { PageNode } from '../tree/page-node.ts'

/** A page that only the former revision has, and where it was. */
export type RemovedPage = {
  page: PageNode
  /**
   * The parent, which may be removed as well; undefined at the top level. A renamed page has its
   * new id.
   */
  parentId: string | undefined
  /**
   * The page before it below this parent, which may be removed as well; undefined for the first
   * one.
   */
  afterId: string | undefined
}

export type ChangedPages = {
  /** The pages and groups of the new revision that differ from the former one, by id. */
  marks: Map<string, 'changed' | 'new'>
  /** In the order of the former revision, parents before children. */
  removed: RemovedPage[]
  /** The former id of each page that has another one now. */
  renamed: ReadonlyMap<string, string>
}

/** What is known of two revisions besides their page trees. */
type Known = {
  /** The former ids of pages, by their new ones, where an id does not follow a rename. */
  renamed?: ReadonlyMap<string, string>
  /** The pages that show changed content of other files. */
  touched?: ReadonlySet<string>
}

type Pages = Pick<ContentTree, 'pages' | 'pageById'>

/** Pages are compared in steps of this many. */
const together = 512

/**
 * Returns which pages of two revisions of a space differ, in steps: in their bytes, title, icon or
 * target, in the part of their address that is their own, or in their parent. Linear in the pages
 * of both.
 */
export function* changedPages(
  before: Pages,
  after: Pages,
  { renamed: given = new Map(), touched = new Set() }: Known = {},
): Steps<ChangedPages> {
  const renamed = yield* withGroups(before, after, given)
  const found: ChangedPages = { marks: new Map(), removed: [], renamed }
  const laterIds = new Map([...renamed].map(([now, then]) => [then, now]))
  const laterId = (id: string | undefined) => (id === undefined ? id : (laterIds.get(id) ?? id))
  const formerOf = ({ id }: PageNode): PageNode | undefined => {
    const formerId = renamed.get(id) ?? (laterIds.has(id) ? undefined : id)
    return formerId === undefined ? undefined : before.pageById.get(formerId)
  }
  let seen = 0

  for (const page of walk(after.pages)) {
    const former = formerOf(page)
    if (!former) found.marks.set(page.id, 'new')
    else if (
      touched.has(page.id) ||
      differ(former, page) ||
      laterId(former.parentId) !== page.parentId
    )
      found.marks.set(page.id, 'changed')

    if (++seen % together === 0) yield
  }

  yield* collectRemoved(before, after, { found, laterId })

  return found
}

type Collecting = { found: ChangedPages; laterId: (id: string | undefined) => string | undefined }

function* collectRemoved(before: Pages, after: Pages, { found, laterId }: Collecting): Steps<void> {
  let seen = 0
  /**
   * The page that stood before a page among the former siblings and is still there or removed, by
   * former parent.
   */
  const last = new Map<string | undefined, string>()
  for (const page of walk(before.pages)) {
    const now = after.pageById.get(laterId(page.id)!)
    const parentId = laterId(page.parentId)
    if (!now) found.removed.push({ page, parentId, afterId: last.get(parentId) })
    // A page that is below another parent now is not beside the removed one.
    if (!now || now.parentId === parentId) last.set(parentId, now?.id ?? page.id)
    if (++seen % together === 0) yield
  }
}

function* walk(pages: readonly PageNode[]): Generator<PageNode> {
  for (const page of pages) {
    yield page
    if (page.pages.length > 0) yield* walk(page.pages)
  }
}

const differ = (former: PageNode, page: PageNode): boolean =>
  former.file?.oid !== page.file?.oid ||
  former.title !== page.title ||
  former.linkTitle !== page.linkTitle ||
  former.emoji !== page.emoji ||
  former.icon !== page.icon ||
  former.target !== page.target ||
  former.slug !== page.slug

/**
 * Adds the groups whose name changed: a new group replaces the one that is gone and that contained
 * the first of its pages that were there before.
 */
function* withGroups(
  before: Pages,
  after: Pages,
  renamed: ReadonlyMap<string, string>,
): Steps<ReadonlyMap<string, string>> {
  const all = new Map(renamed)
  const replaced = new Set(renamed.values())
  let seen = 0

  for (const group of after.pages) {
    if (group.type !== 'group' || before.pageById.has(group.id)) continue
    for (const { id } of group.pages) {
      if (++seen % together === 0) yield
      const parentId = before.pageById.get(renamed.get(id) ?? id)?.parentId
      const former = parentId === undefined ? undefined : before.pageById.get(parentId)
      if (!former) continue

      if (former.type === 'group' && !after.pageById.has(former.id) && !replaced.has(former.id)) {
        all.set(group.id, former.id)
        replaced.add(former.id)
      }

      break
    }
  }

  return all
}
