import { Fault } from '../../../errors.ts'
import { deleteSiteSpace, updateSiteSpace } from '../../../store/sites/site-spaces.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import type { SiteSpaceRow, SpaceRow } from '../../../store/tables/rows.ts'
import { convertToSections } from './convert-to-sections.ts'
import { deriveSpaceVisibility } from './derive-space-visibility.ts'
import { placeSpace } from './place-space.ts'
import { settleDefaults } from './settle-defaults.ts'
import { recordEdit, type StructureEdit, sectionOf } from './structure-edit.ts'
import { leaveAlias, takeSiteSpacePath } from './take-path.ts'

/**
 * Adds a space at the end of a section: of the named one, else of the default one. On a site
 * without sections it is added at the root, or in a new section if the site has section groups.
 * `avoid` contains folded segments that a derived path at the root must not have. Returns the id of
 * the site space. Throws 'missing' for an unknown section, 'conflict' if the space is on the site
 * or the site is full.
 */
export function addSiteSpace(
  edit: StructureEdit,
  space: SpaceRow,
  { sectionId, draft = false }: { sectionId?: string | undefined; draft?: boolean },
  avoid: ReadonlySet<string>,
): string {
  const { ctx, site, view, by } = edit
  const section =
    sectionId === undefined
      ? view().sections.find(({ isDefault }) => isDefault)?.row
      : sectionOf(edit, sectionId)
  const { id } = placeSpace(ctx, site, space, section?.id ?? null, section ? undefined : avoid)
  if (draft) updateSiteSpace(ctx.store, id, { draft: 1 })
  settleDefaults(edit.ctx, edit.site)
  const { groups } = readStructure(ctx.store, site.id)
  const converted = !section && groups.length > 0 ? convertToSections(edit, avoid) : undefined

  deriveSpaceVisibility(ctx, [space.id], by)
  recordEdit(edit, { type: 'site-space', id }, 'added', {
    space: space.id,
    ...(converted && { converted }),
  })

  return id
}

/** What an update of a site space may set. */
type SiteSpaceChange = {
  path?: string | undefined
  condition?: string | null | undefined
  draft?: boolean | undefined
  space?: SpaceRow | undefined
}

/**
 * Updates a site space; a former path stays as an alias. Throws 'conflict' if another site space
 * has the path, or the new space is on the site already.
 */
export function changeSiteSpace(
  edit: StructureEdit,
  row: SiteSpaceRow,
  { path = row.path, condition = row.condition, draft = row.draft === 1, space }: SiteSpaceChange,
): void {
  const { ctx, site, by } = edit
  const space_id = space?.id ?? row.space_id
  const next = { path, condition, draft: Number(draft), space_id }
  const keys = ['path', 'condition', 'draft', 'space_id'] as const
  const changed = keys.filter(key => next[key] !== row[key])
  if (changed.length === 0) return

  const { siteSpaces } = readStructure(ctx.store, site.id)

  if (siteSpaces.some(each => each.space_id === next.space_id && each.id !== row.id))
    throw new Fault(
      'already_on_site',
      `The space "${next.space_id}" is already on the site. A site shows a space once.`,
    )

  const item = { type: 'site-space', id: row.id } as const
  if (path !== row.path) takeSiteSpacePath(edit, row.section_id, path, row.id)
  updateSiteSpace(ctx.store, row.id, next)
  if (path !== row.path) leaveAlias(edit, row.section_id, row.path, item)
  if (next.space_id !== row.space_id) deriveSpaceVisibility(ctx, [row.space_id, next.space_id], by)
  recordEdit(edit, item, 'updated', {
    changed: changed.map(key => (key === 'space_id' ? 'space' : key)),
  })
}

/** Takes a space off the site, with the aliases that lead to it. The space stays. */
export function removeSiteSpace(edit: StructureEdit, row: SiteSpaceRow): void {
  const { ctx, by } = edit
  deleteSiteSpace(ctx.store, row.id)
  settleDefaults(edit.ctx, edit.site)
  deriveSpaceVisibility(ctx, [row.space_id], by)
  recordEdit(edit, { type: 'site-space', id: row.id }, 'removed', { space: row.space_id })
}
