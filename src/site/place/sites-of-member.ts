import { admitToken } from '../../access/admit-token.ts'
import { memberWithin } from '../../access/reach.ts'
import type { SignedInUser } from '../../access/session.ts'
import { isOpenToAll } from '../../access/site-roles.ts'
import { visibleSites } from '../../access/visible-sites.ts'
import { baseOfSite } from '../../actions/sites/addresses.ts'
import { isReadHere } from '../../actions/sites/reading-address.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { listOrganizations } from '../../store/people/organizations.ts'
import type { SiteRow } from '../../store/tables/rows.ts'

/** More organizations than any user belongs to. */
const mostOrganizations = 100

/**
 * A site with the address at which a member reads it. `isPreview` is true if that is the address of
 * a preview.
 */
export type SiteOfMember = { site: SiteRow; address: string; isPreview: boolean }

/**
 * Returns the sites that a user may read with the token of the session: by organization, newest
 * first within each.
 */
export function sitesOfMember(ctx: Context, { actor }: SignedInUser): SiteOfMember[] {
  const { user } = actor
  return listOrganizations(ctx.store, user.id, mostOrganizations).flatMap(({ id }) => {
    const admitted = admittedTo(ctx, actor, id)
    const member = admitted && memberWithin(admitted, id, user.id)
    if (!admitted || !member) return []
    return visibleSites(admitted, id, { member, user }).map(({ row }) => {
      return { site: row, ...addressFor(ctx, row) }
    })
  })
}

/**
 * Returns the context of the session's token in an organization; undefined if the token may not
 * list sites there.
 */
function admittedTo(
  ctx: Context,
  actor: SignedInUser['actor'],
  organizationId: string,
): Context | undefined {
  const operation = { operationId: 'listSites', scope: 'sites:read', readers: false } as const
  try {
    return admitToken(ctx, actor, operation, { organizationId })
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/**
 * Returns the address of a site for a member. A session does not replace a share link or a visitor
 * token, so sites that require those are previewed; so are sites for members of other hosts, which
 * do not get the session.
 */
function addressFor(ctx: Context, site: SiteRow): Omit<SiteOfMember, 'site'> {
  if (isReadHere(ctx, site) || (isOpenToAll(site) && site.published === 1))
    return { address: baseOfSite(ctx, site), isPreview: false }
  return { address: `${ctx.publicUrl()}/~preview/${site.id}/`, isPreview: true }
}
