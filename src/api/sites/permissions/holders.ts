import { ownSiteRole } from '../../../access/site-roles.ts'
import type { Context } from '../../../context.ts'
import { pauses } from '../../../lib/slices.ts'
import { noLimit } from '../../../store/dialect.ts'
import { type Holder, listHolders } from '../../../store/people/roles-on-space.ts'
import { listGrantsOnSite, listSiteCandidates } from '../../../store/sites/site-permissions.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import { findSpaces } from '../../../store/spaces/spaces.ts'
import type { SiteRow } from '../../../store/tables/rows.ts'

/**
 * The space that a role on a site comes from, or the organization for a role of the site itself.
 */
type Origin = { type: 'space'; space: string } | { type: 'organization'; organization: string }

/**
 * Returns the members with a role on a site, by the time of joining. Runs a query for each space of
 * the site until everybody has a role, and yields to the event loop in between.
 */
export async function listSiteHolders(
  ctx: Context,
  site: SiteRow,
): Promise<(Holder & { origin: Origin })[]> {
  const { store } = ctx
  const organizationId = site.organization_id
  const granted = listGrantsOnSite(store, site.id)
  const candidates = listSiteCandidates(store, organizationId)
  const roles = new Map<string, Pick<Holder, 'role'> & { origin: Origin }>()
  const origin: Origin = { type: 'organization', organization: organizationId }

  for (const member of candidates) {
    const role = ownSiteRole(site, member, granted.get(member.user_id) ?? [])
    if (role) roles.set(member.user_id, { role, origin })
  }

  const ids = readStructure(store, site.id).siteSpaces.map(({ space_id }) => space_id)
  const spaces = findSpaces(store, ids)
  const pause = pauses()

  for (const id of ids) {
    if (roles.size === candidates.length) break
    if (spaces.get(id)?.deleted_at !== null) continue

    for (const { user_id } of listHolders(
      store,
      { organizationId, kind: 'space', id },
      undefined,
      noLimit,
    ))
      if (!roles.has(user_id))
        roles.set(user_id, { role: 'read', origin: { type: 'space', space: id } })

    await pause()
  }

  return candidates.flatMap(({ user_id, joined_at }) => {
    const held = roles.get(user_id)
    return held ? [{ user_id, joined_at, ...held }] : []
  })
}
