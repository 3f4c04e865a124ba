import { checkPrimaryWriter, type Way } from '../../access/guards/primary.ts'
import { roleOnSpace } from '../../access/guards/space.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { findUser } from '../../store/people/users.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { GitSyncOperationRow, UserRow } from '../../store/tables/rows.ts'
import { SyncFailure } from './sync-failure.ts'

/**
 * Returns the user who started an import or export. Throws SyncFailure when the space is gone or the user may no longer
 * change its primary content in this way. Called again in the transaction that ends the operation, which may have waited
 * and fetched for minutes.
 */
export function checkMaySync(
  ctx: Context,
  { space_id, created_by }: Pick<GitSyncOperationRow, 'space_id' | 'created_by'>,
  way: Way,
): UserRow {
  const space = findSpace(ctx.store, space_id)
  if (!space || space.deleted_at !== null)
    throw new SyncFailure('The space was deleted before its turn came. Restore it and start again.')
  const user = findUser(ctx.store, created_by)
  const role = user && roleOnSpace(ctx, space, user.id)
  if (!user || !role) throw new SyncFailure('The user who started this has no access to the space any more.')
  try {
    checkPrimaryWriter(ctx, space, { user, role }, way)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new SyncFailure(`The user who started this may not do it. ${error.message}`)
  }
  return user
}
