import type { Context } from '../../context.ts'
import { listIntentsOf } from '../../store/git/intents.ts'
import { listMirroredBranches } from '../../store/git/refs.ts'
import { findSpace, isUntouched } from '../../store/spaces/spaces.ts'
import { moveBranches } from '../journal/move-branches.ts'
import { branchesOf, primaryRef } from '../repositories/head-of.ts'
import { isAmongChangeRequests } from '../repositories/ref-names.ts'

/**
 * Undoes `takeBranchName` if the process was killed or the write failed before the new content was
 * published. The space is then untouched, and a branch without a row is at its first commit.
 * Without this, `reconcileSpace` would record the branch as a push, and the space would no longer
 * accept an unrelated history. Does nothing while the space has an intent in the journal. Hold the
 * lock of the space. Idempotent.
 */
export async function undoBranchName(ctx: Context, spaceId: string): Promise<void> {
  const space = findSpace(ctx.store, spaceId)
  if (!space || !isUntouched(space) || listIntentsOf(ctx.store, spaceId).length > 0) return
  const [recorded] = listMirroredBranches(ctx.store, spaceId)
  if (!recorded) return

  const [ref, head] = recorded
  const branches = branchesOf(ctx, spaceId)
  if (branches.get(ref) !== head) return

  const taken = [...branches].filter(
    ([name, oid]) => name !== ref && oid === head && !isAmongChangeRequests(name),
  )
  if (taken.length === 0) return

  const primary = primaryRef(ctx, spaceId)
  const isTaken = taken.some(([name]) => name === primary)
  const moves = taken.map(([name, oid]) => ({ ref: name, from: oid, to: null }))
  await moveBranches(ctx, spaceId, { moves, ...(isTaken && { head: ref }) })

  ctx.log.warn(
    { space: spaceId, refs: taken.map(([name]) => name) },
    'undid an interrupted first push or import',
  )
}
