import { ownSiteRole } from '../../../access/site-roles.ts'
import type { Context } from '../../../context.ts'
import { pauses } from '../../../lib/slices.ts'
import { noLimit } from '../../../store/dialect.ts'
import {
  type AfterMember,
  type ListedMember,
  listMembers,
  type MemberList,
} from '../../../store/people/members.ts'
import { listHolders } from '../../../store/people/roles-on-space.ts'
import { listGrantsOnSite } from '../../../store/sites/site-permissions.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import { findSpaces } from '../../../store/spaces/spaces.ts'
import type { Role } from '../../../store/tables/roles.ts'
import type { MemberRow, SiteRow } from '../../../store/tables/rows.ts'

/**
 * The space that a role on a site comes from, or the organization for a role of the site itself.
 */
type Origin = { type: 'space'; space: string } | { type: 'organization'; organization: string }

/** A member with the role that they have on a site. */
export type SiteHolder = ListedMember & { role: Role; origin: Origin }

/** Which holders of a role are listed, and their order. `role` is the one on the site. */
type HolderList = Omit<MemberList, 'enabled'>

/**
 * Returns up to `limit` members with a role on a site after `after`. Runs a query for each space of
 * the site until everybody has a role, and yields to the event loop in between.
 */
export async function listSiteHolders(
  ctx: Context,
  site: SiteRow,
  { role: only, ...list }: HolderList,
  limit: number,
  after?: AfterMember,
): Promise<SiteHolder[]> {
  const filter = { ...list, role: only === 'guest' ? only : undefined, enabled: true }
  const candidates = listMembers(ctx.store, site.organization_id, filter, noLimit, after)
  const held = await rolesOf(ctx, site, candidates)

  return candidates
    .flatMap(member => {
      const own = held.get(member.user_id)
      const isWanted = only === undefined || only === 'guest' || own?.role === only
      return own && isWanted ? [{ ...member, ...own }] : []
    })
    .slice(0, limit)
}

/** Returns the roles of those of some members who have one on a site, by user. */
async function rolesOf(ctx: Context, site: SiteRow, candidates: readonly MemberRow[]) {
  const { store } = ctx
  const organizationId = site.organization_id
  const granted = listGrantsOnSite(store, site.id)
  const roles = new Map<string, Pick<SiteHolder, 'role' | 'origin'>>()
  const origin: Origin = { type: 'organization', organization: organizationId }
  const without = new Set<string>()

  for (const member of candidates) {
    const role = ownSiteRole(site, member, granted.get(member.user_id) ?? [])
    if (role) roles.set(member.user_id, { role, origin })
    else without.add(member.user_id)
  }

  const ids = readStructure(store, site.id).siteSpaces.map(({ space_id }) => space_id)
  const spaces = findSpaces(store, ids)
  const pause = pauses()

  for (const id of ids) {
    if (without.size === 0) break
    if (spaces.get(id)?.deleted_at !== null) continue

    const target = { organizationId, kind: 'space', id } as const
    for (const { user_id } of listHolders(store, target, undefined, noLimit))
      if (without.delete(user_id))
        roles.set(user_id, { role: 'read', origin: { type: 'space', space: id } })

    await pause()
  }

  return roles
}
