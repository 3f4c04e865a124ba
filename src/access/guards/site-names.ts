import { Fault, missing } from '../../errors.ts'
import { findOrganizationByHostname } from '../../store/people/organizations.ts'
import { findSiteByHostname } from '../../store/sites/sites.ts'
import type { OrganizationRow, SiteRow, UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { memberWithin } from '../reach.ts'
import { roleOnSite } from '../site-roles.ts'
import { needing } from './needing.ts'
import { signedIn } from './space.ts'

/** Admits members and guests of the organization with the host name of the path. */
export const subdomain: Access<{ subdomain: string }, { organization: OrganizationRow }> = ({
  ctx,
  actor,
  params,
}) => {
  const user = signedIn(actor)
  const organization = findOrganizationByHostname(ctx.store, params.subdomain)
  if (!organization || !memberWithin(ctx, organization.id, user.id))
    throw missing('subdomain', params.subdomain)
  return { organization }
}

/** Admits admins of the site with the host name of the path. */
export const customHostname: Access<{ hostname: string }, { site: SiteRow; user: UserRow }> =
  needing({ role: 'admin', on: 'site' }, ({ ctx, actor, params }) => {
    const user = signedIn(actor)
    const site = findSiteByHostname(ctx.store, params.hostname)
    const role = site ? roleOnSite(ctx, site, user.id) : null
    if (!site || !role) throw missing('host name', params.hostname)
    if (role !== 'admin')
      throw new Fault(
        'role_required',
        `This needs the role "admin" on the site; yours is "${role}".`,
      )
    return { site, user }
  })
