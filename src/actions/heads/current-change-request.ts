import type { Context } from '../../context.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import { settleLeftovers, unlessStuck } from '../journal/settle-intent.ts'
import { headOf } from '../repositories/head-of.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { lockSpace, openSpace } from './open-space.ts'
import { reconcileChangeRequest } from './reconcile-space.ts'

/**
 * Returns a change request as it is now. If its branch was moved from outside, records that first,
 * which takes the space's lock: do not hold it. Otherwise reads one ref.
 */
export async function currentChangeRequest(
  ctx: Context,
  row: ChangeRequestRow,
): Promise<ChangeRequestRow> {
  if (row.status === 'merged') return row
  await openSpace(ctx, row.space_id)
  if (headOf(ctx, row.space_id, changeRequestRef(row.number)) === row.revision) return row

  const repo = spaceRepository(ctx, row.space_id)

  return lockSpace(ctx, row.space_id, async () => {
    // The previous holder of the lock may have moved or merged the branch.
    const latest = () => findChangeRequest(ctx.store, row.space_id, row.id) ?? row
    await unlessStuck(ctx, row.space_id, () =>
      againIfMoved(async () => {
        await settleLeftovers(ctx, repo, row.space_id)
        await reconcileChangeRequest(ctx, repo, latest())
      }),
    )

    return latest()
  })
}
