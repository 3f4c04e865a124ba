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
import type { EventActor } from '../events/audit-event.ts'
import { recordOnCollection } from '../events/record-event.ts'
import { type Position, placeAmongSiblings } from './place-among-siblings.ts'

/** The deepest nesting of collections. */
const mostLevels = 20

/**
 * Throws 'conflict' if `levels` more levels of collections inside `parentId` would be nested too
 * deep.
 */
export function checkDepth(ctx: Context, parentId: string | null, levels: number): void {
  const around = parentId === null ? 0 : listAncestry(ctx.store, parentId).length
  if (around + levels > mostLevels) {
    throw new Fault(
      'nested_too_deep',
      `Collections can be nested at most ${mostLevels} levels deep.`,
    )
  }
}

/**
 * Moves a collection with its contents into another one, or to the top level (parent null), at a
 * position there. A move to where it is changes nothing. Throws 'conflict' if the collection would
 * contain itself, 'invalid' for an unknown position.
 */
export const moveCollection = (
  ctx: Context,
  collection: CollectionRow,
  { parentId, position }: { parentId: string | null; position: Position },
  by: EventActor,
): CollectionRow =>
  ctx.store.transact(() => {
    const row = findCollection(ctx.store, collection.id)
    if (!row) throw missing('collection', collection.id)

    if (parentId !== null && listAncestry(ctx.store, parentId).includes(row.id)) {
      throw new Fault(
        'inside_itself',
        'A collection cannot be moved into itself or into a collection that it contains.',
      )
    }

    const elsewhere = parentId !== row.parent_id

    if (elsewhere) {
      checkDepth(ctx, parentId, levelsBelow(ctx.store, row.id))
      const last = nextPosition(ctx.store, row.organization_id, parentId)
      updateCollection(ctx.store, row.id, { parent_id: parentId, position: last })
    }

    const place = { organizationId: row.organization_id, parentId }
    const moved = placeAmongSiblings(ctx.store, { kind: 'collection', id: row.id }, place, position)
    if (!moved && !elsewhere) return row

    const at = ctx.now().toISOString()

    const details = { parent: { from: row.parent_id, to: parentId } }
    recordOnCollection(ctx, row, 'collection.moved', by, details, at)

    return updateCollection(ctx.store, row.id, { updated_at: at }) as CollectionRow
  })
