import { Fault } from '../../../errors.ts'
import { randomId } from '../../../lib/digest.ts'
import {
  deleteSectionGroup,
  insertSectionGroup,
  updateSectionGroup,
} from '../../../store/sites/sections.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import type { SiteSectionGroupRow, SiteSectionRow } from '../../../store/tables/rows.ts'
import { convertToSections } from './convert-to-sections.ts'
import { checkNesting } from './move-item.ts'
import { isSame, putInOrder, siblingsIn } from './order-items.ts'
import { putSections } from './sections.ts'
import { settleDefaults } from './settle-defaults.ts'
import { groupOf, recordEdit, type StructureEdit, sectionOf } from './structure-edit.ts'

/** The maximum number of section groups of a site. */
const mostGroups = 100

const groupItem = (id: string) => ({ type: 'site-section-group', id }) as const

/**
 * Adds a section group at the end of its parent, after converting a site without sections, and
 * moves sections into it. `avoid` contains folded segments that a derived path must not have.
 * Returns the id of the group. Throws 'missing' for an unknown section or parent, 'invalid' for a
 * third level, 'conflict' if the limit is reached.
 */
export function addSectionGroup(
  edit: StructureEdit,
  {
    title,
    icon,
    parent,
    sections,
    draft = false,
  }: {
    title: string
    icon: string | null
    parent: string | null
    sections: readonly string[]
    draft?: boolean
  },
  avoid: ReadonlySet<string>,
): string {
  const { store, now } = edit.ctx
  for (const id of sections) sectionOf(edit, id)
  if (parent !== null) groupOf(edit, parent)

  const id = randomId()

  checkNesting(readStructure(store, edit.site.id), id, parent)
  const converted = convertToSections(edit, avoid)
  const rows = readStructure(store, edit.site.id)

  if (rows.groups.length >= mostGroups)
    throw new Fault(
      'limit_reached',
      `The site has ${mostGroups} section groups, which is the limit. Delete one first.`,
    )

  insertSectionGroup(store, {
    id,
    site_id: edit.site.id,
    parent_id: parent,
    title,
    icon,
    draft: Number(draft),
    position: (siblingsIn(rows, 'site-section-group', parent).at(-1)?.position ?? -1) + 1,
    created_at: now().toISOString(),
  })
  putSections(edit, sections, id, 0)
  settleDefaults(edit.ctx, edit.site)
  recordEdit(edit, groupItem(id), 'added', {
    ...(sections.length > 0 && { sections }),
    ...(converted && { converted }),
  })

  return id
}

/** Updates a section group. */
export function changeSectionGroup(
  edit: StructureEdit,
  row: SiteSectionGroupRow,
  {
    title = row.title,
    icon = row.icon,
    draft = row.draft === 1,
  }: {
    title?: string | undefined
    icon?: string | null | undefined
    draft?: boolean | undefined
  },
): void {
  const next = { title, icon, draft: Number(draft) }
  const changed = (['title', 'icon', 'draft'] as const).filter(key => next[key] !== row[key])
  if (changed.length === 0) return
  updateSectionGroup(edit.ctx.store, row.id, next)
  recordEdit(edit, groupItem(row.id), 'updated', { changed })
}

/** Deletes a section group. Its children take its place, in their order. */
export function removeSectionGroup(edit: StructureEdit, row: SiteSectionGroupRow): void {
  const { store } = edit.ctx
  const rows = readStructure(store, edit.site.id)
  const children = siblingsIn(rows, 'site-section', row.id)
  const index = siblingsIn(rows, 'site-section-group', row.parent_id).findIndex(each =>
    isSame(each, groupItem(row.id)),
  )

  // The group itself stays behind its children until it is deleted.
  putInOrder(
    store,
    rows,
    children.map(({ type, id }) => ({ type, id })),
    { parentId: row.parent_id, index },
  )
  deleteSectionGroup(store, row.id)
  recordEdit(edit, groupItem(row.id), 'removed', {
    children: children.map(({ type, id }) => ({ type, id })),
  })
}

/** Moves a section to the end of a group, unless it is in the group. */
export function addToGroup(
  edit: StructureEdit,
  group: SiteSectionGroupRow,
  section: SiteSectionRow,
): void {
  if (section.group_id === group.id) return
  const rows = readStructure(edit.ctx.store, edit.site.id)
  putSections(edit, [section.id], group.id, siblingsIn(rows, 'site-section', group.id).length)
  recordEdit(edit, { type: 'site-section', id: section.id }, 'moved', { group: group.id })
}

/** Moves a section out of its group, to the place right behind the group. */
export function takeFromGroup(
  edit: StructureEdit,
  group: SiteSectionGroupRow,
  section: SiteSectionRow,
): void {
  const rows = readStructure(edit.ctx.store, edit.site.id)
  const index = siblingsIn(rows, 'site-section-group', group.parent_id).findIndex(each =>
    isSame(each, groupItem(group.id)),
  )
  putSections(edit, [section.id], group.parent_id, index + 1)
  recordEdit(edit, { type: 'site-section', id: section.id }, 'moved')
}
