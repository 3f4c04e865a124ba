import { findStandings } from '../store/people/roles-of-user.ts'
import { rememberedSpace } from '../store/spaces/spaces.ts'
import type { Role } from '../store/tables/roles.ts'
import type { SpaceRow } from '../store/tables/rows.ts'
import { type Reaching, reachesSpace } from './reach.ts'
import { effectiveRole } from './roles.ts'

/** Returns the role of a user on a space within the reach of the request's token; null for none. */
export const roleOnSpace = (ctx: Reaching, space: SpaceRow, userId: string): Role | null =>
  reachesSpace(ctx, userId, space) ? heldRole(ctx, space, userId) : null

function heldRole({ store }: Reaching, space: SpaceRow, userId: string): Role | null {
  const { id, organization_id: organizationId } = space
  const read = () => {
    const standing = findStandings(store, organizationId, userId, 'space', [id]).get(id)
    return standing ? effectiveRole(standing) : null
  }

  return store.remember(`role ${id} ${organizationId} ${userId}`, read, {
    spaceId: id,
    organizationId,
  })
}

/**
 * Returns whether a space exists, is not deleted, and may be read by a user within the reach of the
 * request's token.
 */
export function mayReadLive(ctx: Reaching, spaceId: string, userId: string): boolean {
  const space = rememberedSpace(ctx.store, spaceId)
  return space?.deleted_at === null && roleOnSpace(ctx, space, userId) !== null
}
