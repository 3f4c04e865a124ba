import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { findStandings } from '../../store/people/roles-of-user.ts'
import { findCollection } from '../../store/spaces/collections.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { CollectionRow, UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { reachesOrganization } from '../reach.ts'
import { atLeast, effectiveRole } from '../roles.ts'
import { needing } from './needing.ts'
import { signedIn } from './space.ts'

/**
 * Returns the role of a user on a collection within the reach of the request's token; null for
 * none.
 */
export function roleOnCollection(ctx: Context, row: CollectionRow, userId: string): Role | null {
  if (!reachesOrganization(ctx, userId, row.organization_id)) return null
  const standings = findStandings(ctx.store, row.organization_id, userId, 'collection', [row.id])
  const standing = standings.get(row.id)
  return standing ? effectiveRole(standing) : null
}

type CollectionGrant = { collection: CollectionRow; user: UserRow; role: Role }

/**
 * Admits users with at least the role `needed` on the collection of the path; grants the
 * collection.
 */
export const collection = (needed: Role): Access<{ collectionId: string }, CollectionGrant> =>
  needing({ role: needed, on: 'collection' }, ({ ctx, actor, params }) => {
    const user = signedIn(actor)
    const row = findCollection(ctx.store, params.collectionId)
    const role = row ? roleOnCollection(ctx, row, user.id) : null
    if (!row || !role) throw missing('collection', params.collectionId)
    if (!atLeast(role, needed))
      throw new Fault(
        'role_required',
        `This needs the role "${needed}" on the collection; yours is "${role}".`,
      )
    return { collection: row, user, role }
  })
