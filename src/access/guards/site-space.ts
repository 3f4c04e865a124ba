import { missing } from '../../errors.ts'
import { rememberedStructure } from '../../store/sites/structure.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SiteSpaceRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { mayReadLive } from '../space-role.ts'
import { needing } from './needing.ts'
import { type SiteGrant, type SitePath, site } from './site.ts'

type SiteSpacePath = SitePath & { siteSpaceId: string }

type SiteSpaceGrant = SiteGrant & { siteSpace: SiteSpaceRow }

/**
 * Admits users with at least the role `needed` on the site of the path, who may see the space that
 * the site space of the path shows.
 */
export const siteSpace = (needed: Role): Access<SiteSpacePath, SiteSpaceGrant> =>
  needing({ role: needed, on: 'site' }, asker => {
    const { ctx, params } = asker
    const seen = site('read')(asker)
    const { siteSpaces } = rememberedStructure(ctx.store, seen.site)
    const row = siteSpaces.find(({ id }) => id === params.siteSpaceId)
    if (!row || !mayReadLive(ctx, row.space_id, seen.user.id))
      throw missing('site space', params.siteSpaceId)
    return { ...site(needed)(asker), siteSpace: row }
  })
