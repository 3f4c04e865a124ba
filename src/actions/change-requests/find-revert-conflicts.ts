import type { Context } from '../../context.ts'
import type { MergeConflict } from '../../git/commits/merge.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { tryMerge } from '../revisions/merge-commits.ts'
import { type Conflict, describeConflicts, type Sides } from '../revisions/name-conflicts.ts'
import {
  type Resolution,
  type ResolvedFile,
  tryResolutions,
} from '../revisions/resolve-conflicts.ts'
import { nothingToRevert, readMerge } from './revert.ts'

/**
 * Returns the conflicts that `revertMerge` has now, without creating anything. Throws 'conflict'
 * where it does. May take the space's lock: do not hold it.
 */
export async function findRevertConflicts(
  ctx: Context,
  changeRequest: ChangeRequestRow,
): Promise<Conflict[]> {
  const { sides, conflicts } = await tryRevert(ctx, changeRequest)
  return describeConflicts(ctx, changeRequest.space_id, sides, conflicts)
}

/**
 * Returns the files in conflict as resolutions make them; see `tryResolutions`. Throws like
 * `findRevertConflicts`.
 */
export async function tryRevertResolutions(
  ctx: Context,
  changeRequest: ChangeRequestRow,
  resolutions: readonly Resolution[],
): Promise<ResolvedFile[]> {
  const { conflicts } = await tryRevert(ctx, changeRequest)
  return tryResolutions(spaceRepository(ctx, changeRequest.space_id), conflicts, resolutions)
}

async function tryRevert(
  ctx: Context,
  changeRequest: ChangeRequestRow,
): Promise<{ sides: Sides; conflicts: readonly MergeConflict[] }> {
  const { space_id: spaceId } = changeRequest
  const repo = spaceRepository(ctx, spaceId)
  const { head } = await primaryHead(ctx, { id: spaceId })
  const { before, theirs } = await readMerge(ctx, changeRequest, head)
  const merged = await tryMerge(repo, head, theirs)
  const sides = { ours: head, theirs: before }
  if (!merged.clean) return { sides, conflicts: merged.conflicts }
  if (merged.tree === (await treeOf(repo, head))) throw nothingToRevert(changeRequest)
  return { sides, conflicts: [] }
}
