import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { atLeast } from '../roles.ts'
import { roleOnSpace } from '../space-role.ts'

/**
 * Returns a space and the role of a user in it as they are now. Throws 'missing' or 'forbidden'
 * when the space or the role is gone. Call it inside the transaction that decides: a role may be
 * revoked while a write waits for its turn.
 */
export function checkRole(
  ctx: Context,
  spaceId: string,
  userId: string,
  needed: Role,
): { space: SpaceRow; role: Role } {
  const space = rememberedSpace(ctx.store, spaceId)
  const role = space ? roleOnSpace(ctx, space, userId) : null
  if (!space || space.deleted_at !== null || !role) throw missing('space', spaceId)
  if (!atLeast(role, needed))
    throw new Fault(
      'role_required',
      `This needs the role "${needed}" in the space; yours is "${role}".`,
    )
  return { space, role }
}
