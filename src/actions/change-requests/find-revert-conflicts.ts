import type { Context } from '../../context.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { tryMerge } from '../revisions/merge-commits.ts'
import { type Conflict, describeConflicts } from '../revisions/name-conflicts.ts'
import { nothingToRevert, readMerge } from './revert.ts'

/**
 * Returns the conflicts that `revertMerge` has now, without creating anything. Throws 'conflict'
 * where it does. May take the space's lock: do not hold it.
 */
export async function findRevertConflicts(
  ctx: Context,
  changeRequest: ChangeRequestRow,
): Promise<Conflict[]> {
  const { space_id: spaceId } = changeRequest
  const repo = spaceRepository(ctx, spaceId)
  const { head } = await primaryHead(ctx, { id: spaceId })
  const { before, theirs } = await readMerge(ctx, changeRequest, head)
  const merged = await tryMerge(repo, head, theirs)
  if (!merged.clean)
    return describeConflicts(ctx, spaceId, { ours: head, theirs: before }, merged.conflicts)
  if (merged.tree === (await treeOf(repo, head))) throw nothingToRevert(changeRequest)
  return []
}
