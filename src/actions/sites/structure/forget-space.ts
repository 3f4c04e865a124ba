import type { Context } from '../../../context.ts'
import { deleteSiteSpace, listSiteSpacesWith } from '../../../store/sites/site-spaces.ts'
import { settleDefaults } from './settle-defaults.ts'

/**
 * Removes a space that is gone for good from all sites, with the former paths and redirects that
 * lead to it; the site spaces that acted as defaults in its place become the stored ones. Call it
 * inside the transaction that purges or transfers the space.
 */
export function forgetSpace(ctx: Context, spaceId: string): void {
  for (const { id, site_id } of listSiteSpacesWith(ctx.store, spaceId)) {
    deleteSiteSpace(ctx.store, id)
    settleDefaults(ctx, { id: site_id })
  }
}
