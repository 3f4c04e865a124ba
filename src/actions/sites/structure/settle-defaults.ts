import type { Context } from '../../../context.ts'
import { updateSection } from '../../../store/sites/sections.ts'
import { findSite, updateSite } from '../../../store/sites/sites.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import { findSpaces } from '../../../store/spaces/spaces.ts'
import type { SiteRow, SiteSpaceRow } from '../../../store/tables/rows.ts'
import { sectionsInOrder } from '../view-site.ts'

/**
 * Stores one default in each list of siblings of a site whose stored default is gone: the first
 * item in the order of the structure, those with a live space first; none for an empty list. Call
 * it in the transaction of the change.
 */
export function settleDefaults({ store }: Context, { id }: Pick<SiteRow, 'id'>): void {
  const rows = readStructure(store, id)
  const site = findSite(store, id) as SiteRow
  const spaces = findSpaces(
    store,
    rows.siteSpaces.map(row => row.space_id),
  )
  const isLive = (row: SiteSpaceRow) => spaces.get(row.space_id)?.deleted_at === null
  const inSection = (sectionId: string | null) =>
    rows.siteSpaces.filter(row => row.section_id === sectionId)

  for (const section of rows.sections) {
    const next = defaultOf(inSection(section.id), section.default_site_space_id, isLive)
    if (next !== section.default_site_space_id)
      updateSection(store, section.id, { default_site_space_id: next })
  }

  const order = sectionsInOrder(rows)
  const section = defaultOf(order, site.default_section_id, row => inSection(row.id).some(isLive))
  const siteSpace = defaultOf(inSection(null), site.default_site_space_id, isLive)
  if (section !== site.default_section_id || siteSpace !== site.default_site_space_id)
    updateSite(store, id, { default_section_id: section, default_site_space_id: siteSpace })
}

function defaultOf<Row extends { id: string }>(
  rows: readonly Row[],
  stored: string | null,
  isLive: (row: Row) => boolean,
): string | null {
  if (stored !== null && rows.some(({ id }) => id === stored)) return stored
  return (rows.find(isLive) ?? rows[0])?.id ?? null
}
