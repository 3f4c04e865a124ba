import type { Context } from '../../context.ts'
import { readRef } from '../../git/refs/refs.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import { noteUnlessStuck, settleLeftovers } from '../journal/settle-operation.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { reconcileChangeRequest } from './reconcile-space.ts'

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
