import type { Context } from '../../context.ts'
import type { MergeConflict } from '../../git/commits/merge.ts'
import type { Oid } from '../../git/values/oid.ts'
import { viewRevision } from './view-revision.ts'

/** A path that both sides changed, as the caller sees it. */
export type Conflict = { path: string; page?: string; type: string }

/** Conflicts with the pages that their paths are, on either side. */
export async function nameConflicts(
  ctx: Context,
  spaceId: string,
  heads: readonly Oid[],
  conflicts: readonly MergeConflict[],
): Promise<Conflict[]> {
  const views = await Promise.all(heads.map(head => viewRevision(ctx, spaceId, head)))
  return conflicts.map(({ path, type }) => {
    const page = views.map(view => view.content.pageByFile.get(path)?.id).find(id => id !== undefined)
    return { path, ...(page !== undefined && { page }), type }
  })
}
