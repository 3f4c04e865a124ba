import type { Context } from '../../context.ts'
import { updateSite } from '../../store/sites/sites.ts'
import { readStructure } from '../../store/sites/structure.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordSiteEvent } from './record-site-event.ts'
import { deriveSpaceVisibility } from './structure/derive-space-visibility.ts'

/**
 * Publishes a site that is not published yet, and returns its new row; call it inside a
 * transaction.
 */
export function publishSite(ctx: Context, row: SiteRow, by: EventActor): SiteRow {
  const at = ctx.now().toISOString()
  const set = { published: 1, published_at: at, updated_at: at }
  const published = updateSite(ctx.store, row.id, set) as SiteRow
  recordSiteEvent(ctx, row, 'site.published', by, { visibility: row.visibility })
  deriveSpaceVisibility(ctx, spacesOf(ctx, row), by)
  return published
}

/**
 * Ends the publication of a published site, and returns its new row; call it inside a transaction.
 * The reading tokens of the site end with it.
 */
export function unpublishSite(ctx: Context, row: SiteRow, by: EventActor): SiteRow {
  const changed = updateSite(ctx.store, row.id, {
    published: 0,
    published_at: null,
    access_version: row.access_version + 1,
    updated_at: ctx.now().toISOString(),
  }) as SiteRow
  recordSiteEvent(ctx, row, 'site.unpublished', by, { visibility: row.visibility })
  deriveSpaceVisibility(ctx, spacesOf(ctx, row), by)
  return changed
}

/** Returns the ids of the spaces on a site. */
export const spacesOf = ({ store }: Context, { id }: Pick<SiteRow, 'id'>): string[] =>
  readStructure(store, id).siteSpaces.map(({ space_id }) => space_id)
