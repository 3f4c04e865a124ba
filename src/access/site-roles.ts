import type { Context } from '../context.ts'
import { sitesGrantedTo } from '../store/sites/site-permissions.ts'
import type { Role } from '../store/tables/roles.ts'
import type { MemberRow, SiteRow } from '../store/tables/rows.ts'
import { strongest } from './roles.ts'

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
export const grantsOn = (
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
