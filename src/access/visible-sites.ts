import type { Context } from '../context.ts'
import { sitesGrantedTo } from '../store/sites/site-permissions.ts'
import { rememberedSites } from '../store/sites/sites.ts'
import { listSpacesShown, spacesOnSites } from '../store/sites/structure.ts'
import type { Role } from '../store/tables/roles.ts'
import type { MemberRow, SiteRow, UserRow } from '../store/tables/rows.ts'
import { reachesSite } from './reach.ts'
import { ownSiteRole } from './site-roles.ts'
import { rolesIn } from './visible.ts'

/**
 * A site that a user may see, with their role on it and the ids of the live spaces on it that they
 * may read.
 */
type VisibleSite = { row: SiteRow; role: Role; readable: readonly string[] }

/**
 * Returns the sites of an organization that a user may see and that `admits` accepts, newest first.
 * Runs a fixed number of queries for any number of sites.
 */
export function visibleSites(
  ctx: Context,
  organizationId: string,
  { member, user }: { member: MemberRow; user: UserRow },
  admits: (row: SiteRow) => boolean = () => true,
): VisibleSite[] {
  const granted = sitesGrantedTo(ctx.store, organizationId, user.id)
  const onSites = spacesOnSites(ctx.store, organizationId)
  const mayRead = readableSpaces(ctx, organizationId, user.id)

  return rememberedSites(ctx.store, organizationId).flatMap(row => {
    if (!reachesSite(ctx, user.id, row.id) || !admits(row)) return []
    const readable = (onSites.get(row.id) ?? []).filter(id => mayRead.has(id))
    const own = ownSiteRole(row, member, granted.get(row.id) ?? [])
    const role = own ?? (readable.length > 0 ? 'read' : null)
    return role ? [{ row, role, readable }] : []
  })
}

/** Returns the ids of the live spaces on sites that a user may read. */
function readableSpaces(ctx: Context, organizationId: string, userId: string): Set<string> {
  const roleOn = rolesIn(ctx, organizationId, userId)
  const shown = listSpacesShown(ctx.store, organizationId)
  const readable = shown.filter(
    ({ id, collection_id, default_level }) =>
      roleOn('space', { id, parent_id: collection_id, default_level }) !== null,
  )
  return new Set(readable.map(({ id }) => id))
}
