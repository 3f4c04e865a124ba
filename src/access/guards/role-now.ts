import type { Context } from '../../context.ts'
import { forbidden, missing } from '../../errors.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { atLeast } from '../roles.ts'
import { roleOnSpace } from './space.ts'

/**
 * Throws unless the space is still there and this person may still do what needs this role: what a guard granted may have
 * been taken back while a write waited for its turn. To be asked in the transaction that decides. Gives both as they are.
 */
export function checkRole(
  ctx: Context,
  spaceId: string,
  userId: string,
  needed: Role,
): { space: SpaceRow; role: Role } {
  const space = findSpace(ctx.store, spaceId)
  const role = space ? roleOnSpace(ctx, space, userId) : null
  if (!space || space.deleted_at !== null || !role) throw missing('space', spaceId)
  if (!atLeast(role, needed))
    throw forbidden(`This needs the role "${needed}" in the space; yours is "${role}".`)
  return { space, role }
}
