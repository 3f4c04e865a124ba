import { noActor } from '../actions/events/audit-event.ts'
import { recordOnSpace } from '../actions/events/record-event.ts'
import { lockSpace } from '../actions/heads/open-space.ts'
import { removeMade } from '../actions/made-files/remove-made.ts'
import { mayDestroy } from '../actions/may-destroy.ts'
import { forgetSpace } from '../actions/sites/structure/forget-space.ts'
import { purgeOrder, purgeTime } from '../actions/spaces/delete-space.ts'
import { removePurged } from '../actions/spaces/remove-repository.ts'
import type { Context } from '../context.ts'
import { pauses } from '../lib/slices.ts'
import { enqueue } from '../queue/enqueue.ts'
import { deleteRepository } from '../store/cluster/git-state.ts'
import { deleteSomeOfSpace } from '../store/discussions/comments.ts'
import { deleteSpace, findSpace } from '../store/spaces/spaces.ts'
import type { JobRun } from './run.ts'

/** The number of comments and replies deleted in one transaction, which blocks all requests. */
const batch = 200

const second = 1_000

/**
 * Purges a deleted space when its time has come: rows first, then the repository, so that a crash
 * leaves a folder without rows. A restored space is kept; one whose time has not come is scheduled
 * again.
 */
export const purgeSpace: JobRun<'purge-space'> = (ctx, { spaceId }) =>
  lockSpace(ctx, spaceId, async () => {
    const time = ctx.store.transact(() => timeOf(ctx, spaceId))
    if (time === 'not come') return

    if (time === 'come') {
      // From here on, the space cannot be restored.
      const pause = pauses()
      while (deleteSomeOfSpace(ctx.store, spaceId, batch) > 0) await pause()
      ctx.store.transact(() => {
        record(ctx, spaceId)
        forgetSpace(ctx, spaceId)
        deleteSpace(ctx.store, spaceId)
        if (ctx.store.isShared) deleteRepository(ctx.store, spaceId)
      })
    }

    // After the row of the space, so that no job adds derived rows again.
    await removeMade(ctx, spaceId)
    await removePurged(ctx, spaceId)
  })

/**
 * Returns whether a space is due to be purged. If not, or if the clock is not trusted, the job is
 * enqueued again for later.
 */
function timeOf(ctx: Context, spaceId: string): 'come' | 'not come' | 'gone' {
  const row = findSpace(ctx.store, spaceId)
  if (!row) return 'gone'
  if (row.deleted_at === null) return 'not come'

  const now = ctx.now()
  const order = purgeOrder(spaceId, row.deleted_at)

  if (purgeTime(row.deleted_at) <= now.getTime()) {
    if (mayDestroy(ctx, 'deleted spaces')) return 'come'
    order.runAt = now.getTime() + ctx.destroyWait() + second
  }

  enqueue(ctx.store, order, now)

  return 'not come'
}

function record(ctx: Context, spaceId: string): void {
  const row = findSpace(ctx.store, spaceId)
  if (!row) return
  recordOnSpace(ctx, row, 'space.purged', noActor, { deletedAt: row.deleted_at })
}
