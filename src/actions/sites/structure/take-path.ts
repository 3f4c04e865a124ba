import { Fault } from '../../../errors.ts'
import { type AliasPlace, dropAlias, listAliases, putAlias } from '../../../store/sites/aliases.ts'
import { updateSiteSpace } from '../../../store/sites/site-spaces.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import { findSpace } from '../../../store/spaces/spaces.ts'
import type { SiteRow, SiteSectionRow } from '../../../store/tables/rows.ts'
import { deriveFreePath } from './derive-free-path.ts'
import type { StructureEdit, StructureItem } from './structure-edit.ts'

/**
 * Keeps the former paths in an empty section that is about to be deleted: its site spaces moved to
 * other sections. The path of the section itself leads to the last of them.
 */
export function keepAliasesOf(
  { ctx: { store }, site }: StructureEdit,
  section: SiteSectionRow,
): void {
  const aliases = listAliases(store, placeIn(site, section.id))
  for (const { path, target_kind: kind, target_id: id, created_at } of aliases)
    putAlias(store, placeIn(site, null), `${section.path}/${path}`, { kind, id }, created_at)
  const last = aliases.at(-1)

  if (last)
    putAlias(
      store,
      placeIn(site, null),
      section.path,
      { kind: last.target_kind, id: last.target_id },
      last.created_at,
    )
}

/** Returns the place of the paths in a section, or of those at the root (null). */
export const placeIn = (site: SiteRow, sectionId: string | null): AliasPlace => ({
  organizationId: site.organization_id,
  siteId: site.id,
  scope: sectionId ?? '',
})

const taken = (path: string, where: string) =>
  new Fault('path_in_use', `The path "${path}" is already in use ${where}. Choose another one.`)

/**
 * Frees a path for a section, also of a former path. Throws 'conflict' if another section has it.
 */
export function takeSectionPath({ ctx, site }: StructureEdit, path: string, ownId: string): void {
  const { sections } = readStructure(ctx.store, site.id)
  if (sections.some(row => row.path === path && row.id !== ownId))
    throw taken(path, 'by another section')
  dropAlias(ctx.store, placeIn(site, null), path)
}

/**
 * Frees a path for a site space in a section, or at the root (null), also of a former path. Throws
 * 'conflict' if another one has it, except one whose space is deleted: it gets another path, with
 * which it comes back.
 */
export function takeSiteSpacePath(
  { ctx, site }: StructureEdit,
  sectionId: string | null,
  path: string,
  ownId: string,
): void {
  const place = placeIn(site, sectionId)
  const siblings = readStructure(ctx.store, site.id).siteSpaces.filter(
    row => row.section_id === sectionId,
  )
  const holder = siblings.find(row => row.path === path && row.id !== ownId)

  if (holder) {
    if (findSpace(ctx.store, holder.space_id)?.deleted_at === null)
      throw taken(path, sectionId === null ? 'on the site' : 'in the section')
    const next = deriveFreePath(ctx, place, path, new Set(siblings.map(row => row.path)), 'space')
    updateSiteSpace(ctx.store, holder.id, { path: next })
  }

  dropAlias(ctx.store, place, path)
}

/** Leaves an alias in the place of a path that an item had in a section, or at the root (null). */
export const leaveAlias = (
  { ctx, site }: StructureEdit,
  sectionId: string | null,
  path: string,
  { type, id }: StructureItem & { type: 'site-section' | 'site-space' },
): void =>
  putAlias(ctx.store, placeIn(site, sectionId), path, { kind: type, id }, ctx.now().toISOString())
