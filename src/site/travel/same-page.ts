import type { OpenContent } from '../../actions/audience/open-content.ts'
import { fileHistory } from '../../actions/revisions/file-history.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { findRevision } from '../../store/git/revisions.ts'
import type { SitePlace } from '../place/place.ts'
import type { Compared } from '../place/scope.ts'

/** The most versions of a file that are looked at. */
const mostVersions = 3_000

/**
 * Returns the page that a page was in an earlier version: by its id, or by the name that its file
 * had. Pages of commits that were pushed or imported together have ids that do not follow their
 * renames. Undefined if the page was not there.
 */
export function earlierPage(
  { ctx, space, view }: Pick<OpenContent, 'ctx' | 'space' | 'view'>,
  { id, file }: PageNode,
  earlier: OpenContent,
): PageNode | undefined {
  const { content } = earlier.shown
  const same = content.pageById.get(id)
  if (same || !file) return same
  const [from, to] = [view.oid, earlier.view.oid].map(oid => findRevision(ctx.store, space.id, oid))
  if (!from || !to) return undefined
  const versions = fileHistory(ctx.store, space.id, file.path, mostVersions, from.seq + 1)
  const then = versions.find(({ seq }) => seq <= to.seq)
  return then && content.pageByFile.get(then.path)
}

/**
 * Returns the page that a page of a place was in the version that it is compared with; undefined
 * for a new one.
 */
export function formerPage(
  { open }: SitePlace,
  node: PageNode,
  { before, pages }: Compared,
): PageNode | undefined {
  const formerId = pages.renamed.get(node.id)
  if (formerId !== undefined) return before.shown.content.pageById.get(formerId)
  const isTaken = new Set(pages.renamed.values()).has(node.id)
  return isTaken ? undefined : earlierPage(open, node, before)
}

/**
 * Returns the page of a place that a page of the version before was; undefined for a removed one.
 */
export function laterPage(
  { open }: SitePlace,
  { id }: PageNode,
  { pages }: Compared,
): PageNode | undefined {
  const later = [...pages.renamed].find(([, formerId]) => formerId === id)
  return open.shown.content.pageById.get(later?.[0] ?? id)
}

/**
 * Returns the page of a place with the id of a published page, or that this page was in the version
 * that is shown.
 */
export function pageById({ open, scope }: SitePlace, id: string): PageNode | undefined {
  const same = open.shown.content.pageById.get(id)
  const now = scope?.current.shown.content.pageById.get(id)
  return same ?? (scope && now && earlierPage(scope.current, now, open))
}
