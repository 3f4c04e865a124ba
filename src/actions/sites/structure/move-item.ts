import { invalid } from '../../../errors.ts'
import { readStructure, type StructureRows } from '../../../store/sites/structure.ts'
import { isSame, parentOf, putInOrder, siblingsIn } from './order-items.ts'
import { settleDefaults } from './settle-defaults.ts'
import { recordEdit, type StructureEdit, type StructureItem } from './structure-edit.ts'
import { leaveAlias, takeSiteSpacePath } from './take-path.ts'

/** The items beside which an item is placed, below their parent. */
type Position = { before?: StructureItem | undefined; after?: StructureItem | undefined }

type SiblingIndex = { parentId: string | null; index: number }

/**
 * Moves an item to a position. Without one, a section or group moves to the end of the root, and a
 * site space to the end of its list. The caller has checked that the item exists. Throws 'invalid'
 * for a position that does not fit, 'conflict' if the path of a site space is in use in the section
 * that it moves to.
 */
export function moveItem(edit: StructureEdit, item: StructureItem, position: Position): void {
  const { store } = edit.ctx
  const rows = readStructure(store, edit.site.id)
  const place = findPlace(edit, rows, item, position)
  if (item.type === 'site-section-group') checkNesting(rows, item.id, place.parentId)

  const parentId = parentOf(rows, item) ?? null
  const siblings = siblingsIn(rows, item.type, place.parentId)
  if (parentId === place.parentId && siblings.findIndex(each => isSame(each, item)) === place.index)
    return

  const path = rows.siteSpaces.find(({ id }) => id === item.id)?.path
  const changesSection =
    item.type === 'site-space' && path !== undefined && parentId !== place.parentId
  if (changesSection) takeSiteSpacePath(edit, place.parentId, path, item.id)
  putInOrder(store, rows, [item], place)
  if (changesSection) leaveAlias(edit, parentId, path, { type: 'site-space', id: item.id })
  settleDefaults(edit.ctx, edit.site)
  recordEdit(edit, item, 'moved')
}

function findPlace(
  edit: StructureEdit,
  rows: StructureRows,
  item: StructureItem,
  { before, after }: Position,
): SiblingIndex {
  const beside = after ?? before
  const parentId = beside
    ? parentBeside(edit, rows, item, beside)
    : item.type === 'site-space'
      ? (parentOf(rows, item) ?? null)
      : null
  const others = siblingsIn(rows, item.type, parentId).filter(each => !isSame(each, item))
  if (!beside) return { parentId, index: others.length }
  if (before && after) checkAdjacent(edit, rows, item, { before, after })

  const index = others.findIndex(each => isSame(each, beside))

  return { parentId, index: beside === after ? index + 1 : index }
}

/** Returns the parent of an item that a position names. */
function parentBeside(
  edit: StructureEdit,
  rows: StructureRows,
  item: StructureItem,
  beside: StructureItem,
): string | null {
  const fits = (beside.type === 'site-space') === (item.type === 'site-space')
  const parentId = fits && !isSame(beside, item) ? parentOf(rows, beside) : undefined
  if (parentId === undefined || !isSeen(edit, beside))
    throw invalid(
      `"position" in the body: the ${beside.type} "${beside.id.slice(0, 100)}" is not another item of this site that a ${item.type} can be placed beside.`,
    )
  return parentId
}

/**
 * Checks that two items are neighbours, apart from the moved item and from items that the caller
 * does not see.
 */
function checkAdjacent(
  edit: StructureEdit,
  rows: StructureRows,
  item: StructureItem,
  { before, after }: { before: StructureItem; after: StructureItem },
): void {
  const parentId = parentBeside(edit, rows, item, before)
  const shown = siblingsIn(rows, item.type, parentId).filter(
    each => !isSame(each, item) && isSeen(edit, each),
  )
  const next = shown[shown.findIndex(each => isSame(each, after)) + 1]
  if (!shown.some(each => isSame(each, after)) || !next || !isSame(next, before))
    throw invalid('"position" in the body: "before" and "after" must name two adjacent items.')
}

/** Returns whether the caller sees an item: sections and groups are seen by all who may edit the structure. */
export const isSeen = ({ view }: StructureEdit, { type, id }: StructureItem): boolean =>
  type !== 'site-space' || view().siteSpaces.some(({ row }) => row.id === id)

/** Checks that a group can lie in a parent. Throws 'invalid' for a cycle or a third level. */
export function checkNesting(rows: StructureRows, groupId: string, parentId: string | null): void {
  if (parentId === null) return
  const parent = rows.groups.find(({ id }) => id === parentId)
  if (parentId === groupId || parent?.parent_id === groupId)
    throw invalid('A section group cannot be inside itself.')
  if (parent?.parent_id !== null || rows.groups.some(row => row.parent_id === groupId))
    throw invalid(
      'Section groups have at most two levels: a group inside a group contains sections only.',
    )
}
