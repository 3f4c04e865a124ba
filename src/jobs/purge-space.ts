import { purgeOrder, purgeTime } from '../actions/delete-space.ts'
import { removeRepository } from '../actions/remove-repository.ts'
import { enqueue } from '../queue/enqueue.ts'
import { deleteSpace, findSpace } from '../store/spaces.ts'
import type { JobRun } from './run.ts'

/**
 * Removes a deleted space for good when its time has come: rows first, then the repository, so that what a crash leaves
 * is a folder that nothing names. A space that was restored stays; one whose time has not come is seen again.
 */
export const purgeSpace: JobRun<'purge-space'> = (ctx, { spaceId }) =>
  ctx.locks.run(spaceId, async () => {
    const gone = ctx.store.transact(() => {
      const row = findSpace(ctx.store, spaceId)
      if (!row) return true
      if (row.deleted_at === null) return false
      const now = ctx.now()
      if (purgeTime(row.deleted_at) > now.getTime()) {
        enqueue(ctx.store, purgeOrder(spaceId, row.deleted_at), now)
        return false
      }
      deleteSpace(ctx.store, spaceId)
      return true
    })
    if (gone) await removeRepository(ctx, spaceId)
  })
