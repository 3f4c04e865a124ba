import type { Context } from '../../context.ts'
import { forbidden, missing } from '../../errors.ts'
import { sitesGrantedTo } from '../../store/sites/site-permissions.ts'
import { rememberedSite } from '../../store/sites/sites.ts'
import { rememberedStructure } from '../../store/sites/structure.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { MemberRow, SiteRow, UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { memberWithin } from '../reach.ts'
import { atLeast, strongest } from '../roles.ts'
import { checkMember, type OrganizationGrant } from './organization.ts'
import { roleOnSpace, signedIn } from './space.ts'

export type SitePath = { organizationId: string; siteId: string }

/** `role` is the role on the site, `member` the membership in its organization. */
export type SiteGrant = OrganizationGrant & { site: SiteRow; role: Role }

/**
 * Returns the role of a member on a site, apart from what the spaces on it give: the strongest of their grants there,
 * of "admin" or "create" in the organization, and (not for guests) of the default level of the site.
 */
export const ownSiteRole = (
  site: Pick<SiteRow, 'default_level'>,
  { role }: Pick<MemberRow, 'role'>,
  granted: readonly Role[],
): Role | null =>
  strongest([
    ...granted,
    role === 'admin' || role === 'create' ? role : null,
    role === null || site.default_level === 'inherit' ? null : (site.default_level as Role | null),
  ])

/** Returns the role of a user on a site: their own, else "read" for those who may read a space that it shows; null for none. */
export function roleOnSite(ctx: Context, site: SiteRow, userId: string): Role | null {
  const member = memberWithin(ctx, site.organization_id, userId)
  if (!member) return null
  const own = ownSiteRole(site, member, grantsOn(ctx, site, userId))
  if (own) return own
  const readable = rememberedStructure(ctx.store, site).siteSpaces.some(({ space_id }) => {
    const space = rememberedSpace(ctx.store, space_id)
    return space?.deleted_at === null && roleOnSpace(ctx, space, userId) !== null
  })
  return readable ? 'read' : null
}

const grantsOn = ({ store }: Context, { id, organization_id: organizationId }: SiteRow, userId: string) =>
  store
    .remember(`sites of ${organizationId} ${userId}`, () => sitesGrantedTo(store, organizationId, userId), {
      organizationId,
    })
    .get(id) ?? []

/**
 * Returns what a user may do on a site. Throws 'missing' for users who may not see it, 'forbidden' below `needed`. Guards
 * call it, and transactions call it again.
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
    throw forbidden(`This needs the role "${needed}" on the site; yours is "${role}".`)
  return { ...granted, site, role }
}

/** Admits users with at least the role `needed` on the site of the path. */
export const site =
  (needed: Role): Access<SitePath, SiteGrant> =>
  ({ ctx, actor, params }) =>
    checkSite(ctx, params, signedIn(actor), needed)
