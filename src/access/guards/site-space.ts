import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { rememberedStructure } from '../../store/sites/structure.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SiteSpaceRow, UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { mayReadLive } from '../space-role.ts'
import { checkSite, type SiteGrant, type SitePath } from './site.ts'
import { signedIn } from './space.ts'

export type SiteSpacePath = SitePath & { siteSpaceId: string }

export type SiteSpaceGrant = SiteGrant & { siteSpace: SiteSpaceRow }

/**
 * Returns what a user may do on a site space. Throws 'missing' for users who may not see the site or the space that the
 * site space shows, 'forbidden' below the role `needed` on the site. Guards call it, and transactions call it again.
 */
export function checkSiteSpace(
  ctx: Context,
  path: SiteSpacePath,
  user: UserRow,
  needed: Role,
): SiteSpaceGrant {
  const { site } = checkSite(ctx, path, user, 'read')
  const { siteSpaces } = rememberedStructure(ctx.store, site)
  const siteSpace = siteSpaces.find(({ id }) => id === path.siteSpaceId)
  if (!siteSpace || !mayReadLive(ctx, siteSpace.space_id, user.id))
    throw missing('site space', path.siteSpaceId)
  return { ...checkSite(ctx, path, user, needed), siteSpace }
}

/** Admits users with at least the role `needed` on the site of the path, who may see the site space of the path. */
export const siteSpace =
  (needed: Role): Access<SiteSpacePath, SiteSpaceGrant> =>
  ({ ctx, actor, params }) =>
    checkSiteSpace(ctx, params, signedIn(actor), needed)
