import { checkPrimaryWriter, type PrimaryRight, type Way } from '../../access/guards/primary.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { findUser } from '../../store/people/users.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { GitSyncRunRow, UserRow } from '../../store/tables/rows.ts'
import { SyncFailure } from './sync-failure.ts'

/**
 * Returns the user who started an import or export, and the right to change the primary content in
 * this way. Throws SyncFailure if the space is gone or the user may no longer change its primary
 * content in this way. Called again in the transaction that ends the run, which may have waited and
 * fetched for minutes.
 */
export function checkMaySync(
  ctx: Context,
  { space_id, created_by }: Pick<GitSyncRunRow, 'space_id' | 'created_by'>,
  way: Way,
): { user: UserRow; right: PrimaryRight } {
  const space = findSpace(ctx.store, space_id)
  if (!space || space.deleted_at !== null)
    throw new SyncFailure(
      'The space was deleted before this started. Restore the space and start again.',
    )

  const user = findUser(ctx.store, created_by)
  const role = user && roleOnSpace(ctx, space, user.id)
  if (!user || !role)
    throw new SyncFailure('The user who started this no longer has access to the space.')

  try {
    return { user, right: checkPrimaryWriter(ctx, space, { user, role }, way) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new SyncFailure(`The user who started this is not allowed to do it. ${error.message}`)
  }
}
