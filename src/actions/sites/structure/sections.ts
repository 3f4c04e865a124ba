import { Fault, invalid } from '../../../errors.ts'
import { randomId } from '../../../lib/digest.ts'
import { deleteSection, insertSection, updateSection } from '../../../store/sites/sections.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import type { SiteSectionRow, SpaceRow } from '../../../store/tables/rows.ts'
import { convertToSections } from './convert-to-sections.ts'
import { deriveFreePath } from './derive-free-path.ts'
import { deriveSpaceVisibility } from './derive-space-visibility.ts'
import { putInOrder, siblingsIn } from './order-items.ts'
import { placeSpace } from './place-space.ts'
import { settleDefaults } from './settle-defaults.ts'
import { recordEdit, type StructureEdit, siteSpaceOf } from './structure-edit.ts'
import { keepAliasesOf, leaveAlias, placeIn, takeSectionPath } from './take-path.ts'

/** The maximum number of sections of a site. */
const mostSections = 100

/**
 * Adds a section with a space at the end of the root, after converting a site without sections.
 * By default it has the title of the space. `avoid` contains folded segments that derived paths must
 * not have. Returns the id of the section.
 * Throws 'conflict' if the space is on the site, or a limit is reached.
 */
export function addSection(
  edit: StructureEdit,
  space: SpaceRow,
  {
    title,
    icon,
    draft = false,
  }: { title?: string | null | undefined; icon?: string | null | undefined; draft?: boolean },
  avoid: ReadonlySet<string>,
): string {
  const { store, now } = edit.ctx
  const converted = convertToSections(edit, avoid)
  const rows = readStructure(store, edit.site.id)

  if (rows.sections.length >= mostSections)
    throw new Fault(
      'limit_reached',
      `The site has ${mostSections} sections, which is the limit. Delete one first.`,
    )

  const name = title ?? titleFrom(space.title)
  const taken = [...avoid, ...rows.sections.map(row => row.path)]
  const { id } = insertSection(store, {
    id: randomId(),
    site_id: edit.site.id,
    title: name,
    icon: icon ?? null,
    draft: Number(draft),
    path: deriveFreePath(edit.ctx, placeIn(edit.site, null), name, taken, 'section'),
    position: (siblingsIn(rows, 'site-section', null).at(-1)?.position ?? -1) + 1,
    created_at: now().toISOString(),
  })

  placeSpace(edit.ctx, edit.site, space, id)
  settleDefaults(edit.ctx, edit.site)
  deriveSpaceVisibility(edit.ctx, [space.id], edit.by)
  recordEdit(edit, { type: 'site-section', id }, 'added', {
    space: space.id,
    ...(converted && { converted }),
  })

  return id
}

/**
 * Returns the title of a section without one of its own; titles of spaces may be shorter than a
 * section's.
 */
const titleFrom = (title: string): string => ([...title].length >= 2 ? title : 'Section')

/** The fields of a section that an update may set. */
export type SectionChange = Partial<
  Pick<
    SiteSectionRow,
    'title' | 'path' | 'condition' | 'icon' | 'description' | 'draft' | 'default_site_space_id'
  >
>

/**
 * Updates a section; a former path stays as an alias. Throws 'conflict' if another section has the
 * path, 'missing' or 'invalid' for a default that is not on the site or not in the section.
 */
export function changeSection(
  edit: StructureEdit,
  row: SiteSectionRow,
  change: SectionChange,
): void {
  const changed = (Object.keys(change) as (keyof SectionChange)[]).filter(
    key => change[key] !== row[key],
  )
  const { path, default_site_space_id: next } = change
  if (typeof next === 'string' && siteSpaceOf(edit, next).row.section_id !== row.id)
    throw invalid(`The site space "${next}" is not in the section, so it cannot be its default.`)
  if (changed.length === 0) return

  const item = { type: 'site-section', id: row.id } as const
  if (path !== undefined && path !== row.path) takeSectionPath(edit, path, row.id)
  updateSection(edit.ctx.store, row.id, change)
  if (path !== undefined && path !== row.path) leaveAlias(edit, null, row.path, item)
  recordEdit(edit, item, 'updated', { changed })
}

/** Deletes a section with its site spaces and the aliases that lead to them. The spaces stay. */
export function removeSection(edit: StructureEdit, row: SiteSectionRow): void {
  const { store } = edit.ctx
  const inside = readStructure(store, edit.site.id).siteSpaces.filter(
    each => each.section_id === row.id,
  )
  if (inside.length === 0) keepAliasesOf(edit, row)
  deleteSection(store, row.id)
  settleDefaults(edit.ctx, edit.site)
  const spaces = inside.map(each => each.space_id)

  deriveSpaceVisibility(edit.ctx, spaces, edit.by)
  recordEdit(edit, { type: 'site-section', id: row.id }, 'removed', { spaces })
}

/**
 * Moves sections below a group, or to the root (null), at `index` among the siblings that are not
 * moved.
 */
export const putSections = (
  edit: StructureEdit,
  ids: readonly string[],
  parentId: string | null,
  index: number,
): void =>
  putInOrder(
    edit.ctx.store,
    readStructure(edit.ctx.store, edit.site.id),
    ids.map(id => ({ type: 'site-section', id })),
    { parentId, index },
  )
