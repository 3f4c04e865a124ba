import type { Context } from '../context.ts'
import { readRef } from '../git/refs.ts'
import { findChangeRequest } from '../store/change-requests.ts'
import type { ChangeRequestRow } from '../store/rows.ts'
import { againIfMoved } from './again-if-moved.ts'
import { reconcileChangeRequest } from './reconcile-space.ts'
import { changeRequestRef } from './ref-names.ts'
import { noteUnlessStuck, settleLeftovers } from './settle-operation.ts'
import { spaceRepository } from './space-repository.ts'

/**
 * A change request as it is now: when its branch has moved from outside, that is taken note of first. Reads one ref
 * otherwise. Takes the space's lock when there is something to note, so do not hold it.
 */
export async function currentChangeRequest(ctx: Context, row: ChangeRequestRow): Promise<ChangeRequestRow> {
  if (row.status === 'merged') return row
  const repo = spaceRepository(ctx, row.space_id)
  if ((await readRef(repo, changeRequestRef(row.number))) === row.revision) return row
  return ctx.locks.run(row.space_id, async () => {
    // Whoever held the lock may have moved the branch, or merged it.
    const latest = () => findChangeRequest(ctx.store, row.space_id, row.id) ?? row
    await noteUnlessStuck(row.space_id, () =>
      againIfMoved(async () => {
        await settleLeftovers(ctx, repo, row.space_id)
        await reconcileChangeRequest(ctx, repo, latest())
      }),
    )
    return latest()
  })
}
