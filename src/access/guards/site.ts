import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { rememberedSite } from '../../store/sites/sites.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SiteRow, UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { atLeast } from '../roles.ts'
import { roleOnSite } from '../site-roles.ts'
import { needing } from './needing.ts'
import { checkMember, type OrganizationGrant } from './organization.ts'
import { signedIn } from './space.ts'

export type SitePath = { organizationId: string; siteId: string }

/** `role` is the role on the site, `member` the membership in its organization. */
export type SiteGrant = OrganizationGrant & { site: SiteRow; role: Role }

/**
 * Returns what a user may do on a site. Throws 'missing' for users who may not see it, 'forbidden'
 * below `needed`. For sites or roles that depend on the body, call it inside the transaction that
 * writes.
 */
export function checkSite(
  ctx: Context,
  { organizationId, siteId }: SitePath,
  user: UserRow,
  needed: Role,
): SiteGrant {
  const granted = checkMember(ctx, organizationId, user, 'guest')
  const site = rememberedSite(ctx.store, organizationId, siteId)
  const role = site ? roleOnSite(ctx, site, user.id) : null
  if (!site || !role) throw missing('site', siteId)
  if (!atLeast(role, needed))
    throw new Fault(
      'role_required',
      `This needs the role "${needed}" on the site; yours is "${role}".`,
    )
  return { ...granted, site, role }
}

/** Admits users with at least the role `needed` on the site of the path. */
export const site = (needed: Role): Access<SitePath, SiteGrant> =>
  needing({ role: needed, on: 'site' }, ({ ctx, actor, params }) =>
    checkSite(ctx, params, signedIn(actor), needed),
  )
