import { Fault, missing } from '../../errors.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import type { Access, Actor } from '../asker.ts'
import { notForReaders } from '../reader.ts'
import { atLeast } from '../roles.ts'
import { roleOnSpace } from '../space-role.ts'
import { needing } from './needing.ts'

/**
 * Returns the user of a caller. Throws 'unauthenticated' for an anonymous caller, 'forbidden' for a
 * reader.
 */
export function signedIn(actor: Actor): UserRow {
  if (actor.type === 'user') return actor.user
  if (actor.type === 'reader') throw notForReaders()
  throw new Fault('token_required', 'Send "Authorization: Bearer <token>" with a valid token.')
}

export type SpaceGrant = { space: SpaceRow; user: UserRow; role: Role }

/**
 * Admits users with at least the role `needed` in the space of the path; grants the space. Only
 * admins are admitted to a deleted space, and only with the option `deleted`.
 */
export const space = (
  needed: Role,
  { deleted = false } = {},
): Access<{ spaceId: string }, SpaceGrant> =>
  needing({ role: needed, on: 'space' }, ({ ctx, actor, params }) => {
    const user = signedIn(actor)
    const row = rememberedSpace(ctx.store, params.spaceId)
    const role = row ? roleOnSpace(ctx, row, user.id) : null

    // Users without a role must not learn that the space exists.
    if (!row || !role) throw missing('space', params.spaceId)
    if (row.deleted_at !== null && role !== 'admin') throw missing('space', params.spaceId)

    if (row.deleted_at !== null && !deleted)
      throw new Fault(
        'space_deleted',
        `The space is deleted. Restore it with POST /v1/spaces/${row.id}/restore.`,
      )

    if (!atLeast(role, needed))
      throw new Fault(
        'role_required',
        `This needs the role "${needed}" in the space; yours is "${role}".`,
      )

    return { space: row, user, role }
  })
