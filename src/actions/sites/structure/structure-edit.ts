import type { SiteGrant } from '../../../access/guards/site.ts'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import type { SiteRow, SiteSectionGroupRow, SiteSectionRow } from '../../../store/tables/rows.ts'
import type { EventActor } from '../../events/audit-event.ts'
import { recordSiteEvent } from '../record-site-event.ts'
import { viewForUser } from '../view-for-user.ts'
import type { SiteSpaceView, SiteView } from '../view-site.ts'

/** An item of a site's structure, as the API names it. */
export type StructureItem = {
  type: 'site-space' | 'site-section' | 'site-section-group' | 'site-external-link'
  id: string
}

/** An edit of a site's structure, inside the transaction that makes it. */
export type StructureEdit = {
  ctx: Context
  /** The site before the edit. */
  site: SiteRow
  /** The caller who makes the edit. */
  by: EventActor
  /** Returns the site as the caller sees it now. */
  view: () => SiteView
}

/** A user who edits a site, with what the guard granted. */
export type EditRequest = SiteGrant & { ctx: Context; by: EventActor }

/** Returns an edit of a site; call it inside the transaction. */
export function startEdit({ ctx, by, site, role, user }: EditRequest): StructureEdit {
  let seen: SiteView | undefined
  return {
    ctx,
    site,
    by,
    view: () => {
      seen ??= viewForUser(ctx, site, user, role)
      return seen
    },
  }
}

/** Returns a section of the site. Throws 'missing'. */
export function sectionOf({ ctx, site }: StructureEdit, id: string): SiteSectionRow {
  const row = readStructure(ctx.store, site.id).sections.find(each => each.id === id)
  if (!row) throw missing('section', id)
  return row
}

/** Returns a section group of the site. Throws 'missing'. */
export function groupOf({ ctx, site }: StructureEdit, id: string): SiteSectionGroupRow {
  const row = readStructure(ctx.store, site.id).groups.find(each => each.id === id)
  if (!row) throw missing('section group', id)
  return row
}

/** Returns a site space that the caller sees. Throws 'missing'. */
export function siteSpaceOf({ view }: StructureEdit, id: string): SiteSpaceView {
  const found = view().siteSpaces.find(({ row }) => row.id === id)
  if (!found) throw missing('site space', id)
  return found
}

/** Records what an edit did to an item. Every edit that changes something records one event. */
export const recordEdit = (
  { ctx, site, by }: StructureEdit,
  item: StructureItem,
  change: 'added' | 'updated' | 'moved' | 'removed',
  details: Record<string, unknown> = {},
): void => recordSiteEvent(ctx, site, 'site.structure_updated', by, { item, change, ...details })
