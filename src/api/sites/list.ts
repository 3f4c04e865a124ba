import type { z } from 'zod'
import { reachesSite } from '../../access/reach.ts'
import { ownSiteRole } from '../../access/site-roles.ts'
import { rolesIn } from '../../access/visible.ts'
import { baseOfSite } from '../../actions/sites/addresses.ts'
import type { Context } from '../../context.ts'
import { sitesGrantedTo } from '../../store/sites/site-permissions.ts'
import { rememberedSites } from '../../store/sites/sites.ts'
import { listSpacesShown, spacesOnSites } from '../../store/sites/structure.ts'
import type { MemberRow, SiteRow, UserRow } from '../../store/tables/rows.ts'
import { presentSite } from './present.ts'
import type { Site } from './schema.ts'

type Filters = {
  space?: string | undefined
  title?: string | undefined
  published?: boolean | undefined
  type?: readonly string[] | undefined
}

/** A site that the user may see, and how to show it. */
type Listed = { row: SiteRow; present: () => z.input<typeof Site> }

/**
 * Returns the sites of an organization that a user may see and that the filters admit, newest first. Runs a fixed number of
 * queries for any number of sites.
 */
export function listForUser(
  ctx: Context,
  organizationId: string,
  { member, user }: { member: MemberRow; user: UserRow },
  { space, title, published, type }: Filters,
): Listed[] {
  const granted = sitesGrantedTo(ctx.store, organizationId, user.id)
  const onSites = spacesOnSites(ctx.store, organizationId)
  const mayRead = readableSpaces(ctx, organizationId, user.id)
  const part = title?.toLowerCase()
  return rememberedSites(ctx.store, organizationId).flatMap(row => {
    const outside =
      !reachesSite(ctx, user.id, row.id) ||
      (part !== undefined && !row.title.toLowerCase().includes(part)) ||
      (published !== undefined && (row.published === 1) !== published) ||
      (type !== undefined && !type.includes(row.type))
    if (outside) return []
    const readable = (onSites.get(row.id) ?? []).filter(id => mayRead.has(id))
    const own = ownSiteRole(row, member, granted.get(row.id) ?? [])
    const role = own ?? (readable.length > 0 ? 'read' : null)
    if (!role || (space !== undefined && !readable.includes(space))) return []
    const present = () =>
      presentSite(row, {
        role,
        siteSpaces: readable.length,
        publicUrl: ctx.publicUrl(),
        base: baseOfSite(ctx, row),
      })
    return [{ row, present }]
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
