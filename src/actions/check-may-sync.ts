import { checkPrimaryWriter } from '../access/primary.ts'
import { roleOnSpace } from '../access/space.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import type { GitSyncOperationRow, UserRow } from '../store/rows.ts'
import { findSpace } from '../store/spaces.ts'
import { findUser } from '../store/users.ts'
import { SyncFailure } from './sync-failure.ts'

/**
 * Whoever started an import or export, when the space is still there and they may still write its primary content: an
 * operation waits, and fetches for minutes. To be asked once more in the transaction that ends it. Throws SyncFailure.
 */
export function checkMaySync(
  ctx: Context,
  { space_id, created_by }: Pick<GitSyncOperationRow, 'space_id' | 'created_by'>,
): UserRow {
  const space = findSpace(ctx.store, space_id)
  if (!space || space.deleted_at !== null)
    throw new SyncFailure('The space was deleted before its turn came. Restore it and start again.')
  const user = findUser(ctx.store, created_by)
  const role = user && roleOnSpace(ctx, space, user.id)
  if (!user || !role) throw new SyncFailure('Whoever started this has no access to the space any more.')
  try {
    checkPrimaryWriter(ctx, space, { user, role }, { sync: true })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new SyncFailure(`Whoever started this may not do it any more. ${error.message}`)
  }
  return user
}
