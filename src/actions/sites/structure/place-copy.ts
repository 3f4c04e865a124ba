import { updateSection } from '../../../store/sites/sections.ts'
import { updateSiteSpace } from '../../../store/sites/site-spaces.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import type { SiteSectionRow, SiteSpaceRow, SpaceRow } from '../../../store/tables/rows.ts'
import { moveItem } from './move-item.ts'
import { addSection } from './sections.ts'
import { addSiteSpace } from './site-spaces.ts'
import type { StructureEdit } from './structure-edit.ts'

/** A copy of a space, and whether it is placed as a draft. */
type Copy = { space: SpaceRow; draft: boolean }

/**
 * Places a copy of the space of a site space behind it: as another variant, or where it is the only
 * one of its section, in a new section behind that one. The copy has the conditions and the
 * customization of the original: it must not be shown to more readers. With `draft`, it and its new
 * section are shown to none. `avoid` contains folded
 * segments that derived paths must not have. Returns the id of the new site space.
 */
export function placeCopy(
  edit: StructureEdit,
  original: SiteSpaceRow,
  { space: copy, draft }: Copy,
  avoid: ReadonlySet<string>,
): string {
  const { store } = edit.ctx
  const rows = readStructure(store, edit.site.id)
  const section = rows.sections.find(({ id }) => id === original.section_id)
  const variants = rows.siteSpaces.filter(row => row.section_id === original.section_id)
  const id =
    section && variants.length === 1
      ? placeInSection(edit, section, { space: copy, draft }, avoid)
      : placeAsVariant(edit, original, copy, avoid)

  const { condition, override } = original
  updateSiteSpace(store, id, { condition, override, draft: draft ? 1 : original.draft })

  return id
}

function placeInSection(
  edit: StructureEdit,
  section: SiteSectionRow,
  { space: copy, draft }: Copy,
  avoid: ReadonlySet<string>,
): string {
  const { store } = edit.ctx
  const id = addSection(
    edit,
    copy,
    { title: copy.title, icon: section.icon, draft: draft || section.draft === 1 },
    avoid,
  )
  updateSection(store, id, { condition: section.condition })
  const after = { type: 'site-section', id: section.id } as const
  moveItem(edit, { type: 'site-section', id }, { after })
  const { siteSpaces } = readStructure(store, edit.site.id)
  const placed = siteSpaces.find(row => row.section_id === id)
  if (!placed) throw new Error('The new section has no space.')
  return placed.id
}

function placeAsVariant(
  edit: StructureEdit,
  original: SiteSpaceRow,
  copy: SpaceRow,
  avoid: ReadonlySet<string>,
): string {
  const id = addSiteSpace(edit, copy, { sectionId: original.section_id ?? undefined }, avoid)
  const after = { type: 'site-space', id: original.id } as const
  moveItem(edit, { type: 'site-space', id }, { after })
  return id
}
