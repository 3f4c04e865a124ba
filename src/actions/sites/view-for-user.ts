import { atLeast } from '../../access/roles.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import type { Context } from '../../context.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import { type SiteView, viewSite } from './view-site.ts'

/**
 * Returns a site as a user sees it: without conditions, and without the spaces that they may not
 * read.
 */
export const viewForUser = (
  ctx: Context,
  site: SiteRow,
  user: { id: string },
  role: Role,
): SiteView =>
  viewSite(ctx, site, {
    sees: space => roleOnSpace(ctx, space, user.id) !== null,
    seesEmpty: atLeast(role, 'create'),
  })
