import type { PageNode } from '../../content/tree/build.ts'
import { findRevision } from '../../store/git/revisions.ts'
import { fileHistory } from '../revisions/file-history.ts'
import type { OpenContent } from './open-content.ts'

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
