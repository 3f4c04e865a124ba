import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import {
  findCollection,
  levelsBelow,
  listAncestry,
  updateCollection,
} from '../../store/spaces/collections.ts'
import { nextPosition } from '../../store/spaces/siblings.ts'
import type { CollectionRow } from '../../store/tables/rows.ts'
import { type Doer, recordEvent } from '../events/record-event.ts'
import { type Position, placeAmongSiblings } from './place-among-siblings.ts'

/** How many collections may lie in one another. */
const mostLevels = 20

/** Throws 'conflict' when `levels` of collections more inside `parentId` are more than may lie in one another. */
export function checkDepth(ctx: Context, parentId: string | null, levels: number): void {
  const around = parentId === null ? 0 : listAncestry(ctx.store, parentId).length
  if (around + levels > mostLevels) {
    throw new Fault('conflict', `At most ${mostLevels} collections may lie in one another.`)
  }
}

/**
 * Moves a collection, with all that lies in it, into another one or to the top (parent null), to a position there.
 * Throws 'conflict' when nothing would change or the collection would lie in itself, 'invalid' for a position that is
 * not there.
 */
export const moveCollection = (
  ctx: Context,
  collection: CollectionRow,
  { parentId, position }: { parentId: string | null; position: Position },
  by: Doer,
): CollectionRow =>
  ctx.store.transact(() => {
    const row = findCollection(ctx.store, collection.id)
    if (!row) throw missing('collection', collection.id)
    if (parentId !== null && listAncestry(ctx.store, parentId).includes(row.id)) {
      throw new Fault('conflict', 'A collection cannot lie in itself or in a collection that lies in it.')
    }
    const elsewhere = parentId !== row.parent_id
    if (elsewhere) {
      checkDepth(ctx, parentId, levelsBelow(ctx.store, row.id))
      const last = nextPosition(ctx.store, row.organization_id, parentId)
      updateCollection(ctx.store, row.id, { parent_id: parentId, position: last })
    }
    const place = { organizationId: row.organization_id, parentId }
    const moved = placeAmongSiblings(ctx.store, { kind: 'collection', id: row.id }, place, position)
    if (!moved && !elsewhere)
      throw new Fault('conflict', 'The collection lies there already: nothing would change.')
    const at = ctx.now().toISOString()
    recordEvent(ctx.store, {
      action: 'collection.moved',
      organizationId: row.organization_id,
      ...by,
      target: { kind: 'collection', id: row.id },
      details: { parent: { from: row.parent_id, to: parentId } },
      at,
    })
    return updateCollection(ctx.store, row.id, { updated_at: at }) as CollectionRow
  })
