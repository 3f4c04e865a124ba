import type { Context } from '../context.ts'
import { sitesGrantedTo } from '../store/sites/site-permissions.ts'
import { rememberedStructure } from '../store/sites/structure.ts'
import type { Role } from '../store/tables/roles.ts'
import type { MemberRow, SiteRow } from '../store/tables/rows.ts'
import { memberWithin, reachesSite } from './reach.ts'
import { strongest } from './roles.ts'
import { mayReadLive } from './space-role.ts'

/**
 * Returns the role of a member on a site, apart from what the spaces on it give: the strongest of
 * their grants there, of "admin" or "create" in the organization, and (not for guests) of the
 * default level of the site.
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

/** Returns the roles that a user and their teams were granted on a site. */
const grantsOn = (
  { store }: Pick<Context, 'store'>,
  { id, organization_id: organizationId }: Pick<SiteRow, 'id' | 'organization_id'>,
  userId: string,
): Role[] =>
  store
    .remember(
      `sites of ${organizationId} ${userId}`,
      () => sitesGrantedTo(store, organizationId, userId),
      {
        organizationId,
      },
    )
    .get(id) ?? []

/**
 * Returns the role of a user on a site: their own, else "read" for those who may read a space that
 * it shows; null for none.
 */
export function roleOnSite(ctx: Context, site: SiteRow, userId: string): Role | null {
  const member = memberWithin(ctx, site.organization_id, userId)
  if (!member || !reachesSite(ctx, userId, site.id)) return null
  const own = ownSiteRole(site, member, grantsOn(ctx, site, userId))
  if (own) return own
  const { siteSpaces } = rememberedStructure(ctx.store, site)
  const readable = siteSpaces.some(({ space_id }) => mayReadLive(ctx, space_id, userId))
  return readable ? 'read' : null
}

/** Returns whether everyone who has its address reads a site, or a space that a site shows. */
export const isOpenToAll = ({ visibility }: { visibility: string }): boolean =>
  visibility === 'public' || visibility === 'unlisted'

/**
 * Returns whether the readers of a site are the users who have a role on it, apart from previews.
 */
export const isForMembers = ({
  visibility,
  members_only,
}: Pick<SiteRow, 'visibility' | 'members_only'>): boolean =>
  visibility === 'visitor-auth' && members_only === 1
