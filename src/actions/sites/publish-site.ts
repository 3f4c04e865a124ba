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
  const spaces = readStructure(ctx.store, row.id).siteSpaces.map(({ space_id }) => space_id)
  deriveSpaceVisibility(ctx, spaces, by)
  return published
}
