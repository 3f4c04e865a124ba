import { updateExternalLink } from '../../../store/sites/external-links.ts'
import { updateSection, updateSectionGroup } from '../../../store/sites/sections.ts'
import { updateSiteSpace } from '../../../store/sites/site-spaces.ts'
import type { StructureRows } from '../../../store/sites/structure.ts'
import type { Store } from '../../../store/store.ts'
import { childrenOf } from '../view-site.ts'
import type { StructureItem } from './structure-edit.ts'

/** An item with its position among its siblings. */
type Ordered = StructureItem & { position: number }

/**
 * Returns the siblings of one parent in their order. For a site space the parent is a section, for
 * a section or group it is a group; null for the root.
 */
export function siblingsIn(
  rows: StructureRows,
  type: StructureItem['type'],
  parentId: string | null,
): Ordered[] {
  if (type === 'site-space')
    return rows.siteSpaces
      .filter(row => row.section_id === parentId)
      .map(({ id, position }) => ({ type, id, position }))
  return childrenOf(parentId, rows).map(row => ({
    type: typeOf(row),
    id: row.id,
    position: row.position,
  }))
}

const typeOf = (row: object): StructureItem['type'] =>
  'path' in row ? 'site-section' : 'url' in row ? 'site-external-link' : 'site-section-group'

/**
 * Returns the parent of an item: the id of a section or group, null for the root, undefined if
 * there is no such item.
 */
export function parentOf(
  rows: StructureRows,
  { type, id }: StructureItem,
): string | null | undefined {
  if (type === 'site-space') return rows.siteSpaces.find(row => row.id === id)?.section_id
  if (type === 'site-section') return rows.sections.find(row => row.id === id)?.group_id
  if (type === 'site-external-link') return rows.links.find(row => row.id === id)?.group_id
  return rows.groups.find(row => row.id === id)?.parent_id
}

/** Returns whether two items are the same. */
export const isSame = (a: StructureItem, b: StructureItem): boolean =>
  a.type === b.type && a.id === b.id

/** Moves items below a parent, to `index` among the siblings that are not moved. */
export function putInOrder(
  store: Store,
  rows: StructureRows,
  items: readonly StructureItem[],
  { parentId, index }: { parentId: string | null; index: number },
): void {
  const [first] = items
  if (!first) return
  const others = siblingsIn(rows, first.type, parentId).filter(
    sibling => !items.some(item => isSame(item, sibling)),
  )
  const ordered = [...others.slice(0, index), ...items, ...others.slice(index)]

  for (const [position, item] of ordered.entries()) {
    const stays = parentOf(rows, item) === parentId
    if (stays && 'position' in item && item.position === position) continue
    put(store, item, parentId, position)
  }
}

function put(
  store: Store,
  { type, id }: StructureItem,
  parentId: string | null,
  position: number,
): void {
  if (type === 'site-space') updateSiteSpace(store, id, { section_id: parentId, position })
  else if (type === 'site-section') updateSection(store, id, { group_id: parentId, position })
  else if (type === 'site-external-link')
    updateExternalLink(store, id, { group_id: parentId, position })
  else updateSectionGroup(store, id, { parent_id: parentId, position })
}
