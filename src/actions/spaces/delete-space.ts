import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { enqueue } from '../../queue/enqueue.ts'
import type { JobOrder } from '../../queue/kinds.ts'
import { cancelJob } from '../../store/events/jobs.ts'
import { findSpace, updateSpace } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordOnSpace } from '../events/record-event.ts'
import { deriveSpaceVisibility } from '../sites/structure/derive-space-visibility.ts'
import { removeDeletionMark, writeDeletionMark } from './deletion-mark.ts'

const day = 24 * 60 * 60 * 1000
const keptDays = 7

/** Returns when a deleted space is purged, in milliseconds since 1970. */
export const purgeTime = (deletedAt: string): number => Date.parse(deletedAt) + keptDays * day

const isOver = (deletedAt: string | null, now: Date): boolean =>
  deletedAt !== null && purgeTime(deletedAt) <= now.getTime()

/** Returns the job that purges a deleted space when its retention time is over. */
export const purgeOrder = (spaceId: string, deletedAt: string): JobOrder<'purge-space'> => ({
  kind: 'purge-space',
  payload: { spaceId },
  // In the same lane as Git syncs of the space, so that they never run at the same time.
  lane: `git-sync ${spaceId}`,
  key: spaceId,
  runAt: purgeTime(deletedAt),
})

/**
 * Marks a space as deleted: sites stop showing it. It can be restored for seven days and is then
 * purged. Idempotent.
 */
export function deleteSpace(ctx: Context, space: SpaceRow, by: EventActor): void {
  const deletedAt = ctx.store.transact(() => {
    const row = findSpace(ctx.store, space.id)
    if (!row || row.deleted_at !== null) return undefined
    const at = ctx.now()
    const deletedAt = at.toISOString()

    updateSpace(ctx.store, row.id, { deleted_at: deletedAt, updated_at: deletedAt })
    enqueue(ctx.store, purgeOrder(row.id, deletedAt), at)
    recordOnSpace(ctx, row, 'space.deleted', by, {}, deletedAt)
    deriveSpaceVisibility(ctx, [row.id], by)

    return deletedAt
  })
  // Without the mark, as after a crash right here, the repository is kept longer.
  if (deletedAt !== undefined) writeDeletionMark(ctx, space.id, deletedAt)
}

/**
 * Restores a deleted space, which sites then show again; a space that is not deleted stays as it
 * is. Throws 'missing' when the retention time is over, unless the clock is not trustworthy at the
 * moment.
 */
export const restoreSpace = (ctx: Context, space: SpaceRow, by: EventActor): SpaceRow =>
  ctx.store.transact(() => {
    const row = findSpace(ctx.store, space.id)
    const at = ctx.now()
    if (!row || (isOver(row.deleted_at, at) && ctx.destroyWait() === 0))
      throw missing('space', space.id)
    if (row.deleted_at === null) return row
    // Before the commit, because a restored space must have no mark. A space that stays deleted is
    // kept longer without it, so this may run again.
    removeDeletionMark(ctx, row.id)
    cancelJob(ctx.store, 'purge-space', row.id)
    recordOnSpace(ctx, row, 'space.restored', by, {}, at.toISOString())
    updateSpace(ctx.store, row.id, { deleted_at: null, updated_at: at.toISOString() })
    deriveSpaceVisibility(ctx, [row.id], by)

    return findSpace(ctx.store, row.id) as SpaceRow
  })
