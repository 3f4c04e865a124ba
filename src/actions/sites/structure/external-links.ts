import { Fault, invalid, missing } from '../../../errors.ts'
import { randomId } from '../../../lib/digest.ts'
import {
  deleteExternalLink,
  insertExternalLink,
  updateExternalLink,
} from '../../../store/sites/external-links.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import type { SiteExternalLinkRow } from '../../../store/tables/rows.ts'
import { putInOrder, siblingsIn } from './order-items.ts'
import { groupOf, recordEdit, type StructureEdit } from './structure-edit.ts'

/** The maximum number of external links of a site. */
const mostLinks = 100

const item = (id: string) => ({ type: 'site-external-link', id }) as const

/** What users decide on an external link. */
export type ExternalLinkSettings = Pick<
  SiteExternalLinkRow,
  'title' | 'description' | 'icon' | 'url' | 'condition' | 'draft'
>

/** Returns an external link of the site. Throws 'missing'. */
export function externalLinkOf({ ctx, site }: StructureEdit, id: string): SiteExternalLinkRow {
  const row = readStructure(ctx.store, site.id).links.find(each => each.id === id)
  if (!row) throw missing('external link', id)
  return row
}

/**
 * Adds an external link at the end of a group, or of the root (null). Returns its id. Throws
 * 'missing' for an unknown group, 'invalid' on a site without sections, 'conflict' at the limit.
 */
export function addExternalLink(
  edit: StructureEdit,
  set: ExternalLinkSettings,
  groupId: string | null,
): string {
  const { store, now } = edit.ctx
  if (groupId !== null) groupOf(edit, groupId)
  const rows = readStructure(store, edit.site.id)
  if (rows.sections.length + rows.groups.length === 0)
    throw invalid('A site needs sections before it can have external links. Add a section first.')
  if (rows.links.length >= mostLinks)
    throw new Fault(
      'limit_reached',
      `The site has ${mostLinks} external links, which is the limit. Delete one first.`,
    )

  const { id } = insertExternalLink(store, {
    ...set,
    id: randomId(),
    site_id: edit.site.id,
    group_id: groupId,
    position: (siblingsIn(rows, 'site-external-link', groupId).at(-1)?.position ?? -1) + 1,
    created_at: now().toISOString(),
  })
  recordEdit(edit, item(id), 'added', { url: set.url })

  return id
}

/** Updates an external link. Throws 'missing' for an unknown group. */
export function changeExternalLink(
  edit: StructureEdit,
  row: SiteExternalLinkRow,
  set: Partial<ExternalLinkSettings>,
  groupId: string | null = row.group_id,
): void {
  const { store } = edit.ctx
  if (groupId !== row.group_id) moveInto(edit, row, groupId)
  const changed = (Object.keys(set) as (keyof ExternalLinkSettings)[]).filter(
    key => set[key] !== row[key],
  )
  if (changed.length === 0) return
  updateExternalLink(store, row.id, set)
  recordEdit(edit, item(row.id), 'updated', { changed })
}

function moveInto(edit: StructureEdit, { id }: SiteExternalLinkRow, groupId: string | null): void {
  if (groupId !== null) groupOf(edit, groupId)
  const rows = readStructure(edit.ctx.store, edit.site.id)
  const index = siblingsIn(rows, 'site-external-link', groupId).length
  putInOrder(edit.ctx.store, rows, [item(id)], { parentId: groupId, index })
  recordEdit(edit, item(id), 'moved', { group: groupId })
}

/** Deletes an external link. */
export function removeExternalLink(edit: StructureEdit, { id, url }: SiteExternalLinkRow): void {
  deleteExternalLink(edit.ctx.store, id)
  recordEdit(edit, item(id), 'removed', { url })
}
