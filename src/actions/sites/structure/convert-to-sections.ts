import { randomId } from '../../../lib/digest.ts'
import { insertSection } from '../../../store/sites/sections.ts'
import { updateSiteSpace } from '../../../store/sites/site-spaces.ts'
import { findSite, updateSite } from '../../../store/sites/sites.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import type { SiteRow } from '../../../store/tables/rows.ts'
import { deriveFreePath } from './derive-free-path.ts'
import { putInOrder } from './order-items.ts'
import type { StructureEdit } from './structure-edit.ts'
import { leaveAlias, placeIn } from './take-path.ts'

/**
 * Moves the site spaces at the root of a site into a new section, its first and default one, with
 * the title of the site. Their ids, order and default stay; the paths that they had at the root
 * become aliases. `avoid` contains folded segments that the path of the section must not have.
 * Returns the id of the section; undefined if the site has no root site spaces.
 */
export function convertToSections(
  edit: StructureEdit,
  avoid: ReadonlySet<string>,
): string | undefined {
  const { store, now } = edit.ctx
  const { siteSpaces } = readStructure(store, edit.site.id)
  if (siteSpaces.length === 0 || siteSpaces.some(row => row.section_id !== null)) return undefined

  const site = findSite(store, edit.site.id) as SiteRow
  const others = siteSpaces.filter(({ id }) => id !== site.default_site_space_id)
  const taken = [...avoid, ...others.map(row => row.path)]
  const path = deriveFreePath(edit.ctx, placeIn(site, null), site.title, taken, 'section')
  const { id } = insertSection(store, {
    id: randomId(),
    site_id: site.id,
    title: site.title,
    path,
    position: -1,
    default_site_space_id: site.default_site_space_id,
    created_at: now().toISOString(),
  })

  putInOrder(store, readStructure(store, site.id), [{ type: 'site-section', id }], {
    parentId: null,
    index: 0,
  })

  for (const row of siteSpaces) {
    updateSiteSpace(store, row.id, { section_id: id })
    if (row.path !== path) leaveAlias(edit, null, row.path, { type: 'site-space', id: row.id })
  }

  updateSite(store, site.id, { default_section_id: id, default_site_space_id: null })

  return id
}
