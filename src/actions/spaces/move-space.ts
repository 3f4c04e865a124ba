import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { nextPosition } from '../../store/spaces/siblings.ts'
import { findSpace, updateSpace } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordOnSpace } from '../events/record-event.ts'
import { type Position, placeAmongSiblings } from './place-among-siblings.ts'

/**
 * Moves a space into a collection of its organization, or to the top level (parent null), at a
 * position there. A move to where it is changes nothing. Throws 'invalid' for an unknown position.
 */
export const moveSpace = (
  ctx: Context,
  space: SpaceRow,
  { parentId, position }: { parentId: string | null; position: Position },
  by: EventActor,
): SpaceRow =>
  ctx.store.transact(() => {
    const row = findSpace(ctx.store, space.id)
    if (!row || row.deleted_at !== null) throw missing('space', space.id)
    const elsewhere = parentId !== row.collection_id

    if (elsewhere) {
      const last = nextPosition(ctx.store, row.organization_id, parentId)
      updateSpace(ctx.store, row.id, { collection_id: parentId, position: last })
    }

    const place = { organizationId: row.organization_id, parentId }
    const moved = placeAmongSiblings(ctx.store, { kind: 'space', id: row.id }, place, position)
    if (!moved && !elsewhere) return row

    const at = ctx.now().toISOString()

    const details = { parent: { from: row.collection_id, to: parentId } }
    recordOnSpace(ctx, row, 'space.moved', by, details, at)

    return updateSpace(ctx.store, row.id, { updated_at: at }) as SpaceRow
  })
