import { spaceRepository } from '../actions/space-repository.ts'
import { endKilledUpkeep } from '../git/upkeep.ts'
import { enqueue } from '../queue/enqueue.ts'
import { deleteIdempotencyBefore } from '../store/idempotency.ts'
import { listAllSpaces } from '../store/spaces.ts'
import type { JobRun } from './run.ts'

const day = 24 * 60 * 60 * 1000

/** Forgets answers older than a day, ends what killed upkeep left, and comes again tomorrow. */
export const tidy: JobRun<'tidy'> = async ctx => {
  const now = ctx.now()
  deleteIdempotencyBefore(ctx.store, new Date(now.getTime() - day).toISOString())
  for (const { id } of listAllSpaces(ctx.store)) {
    // A folder that is damaged does not keep the others from it.
    const ended = await endKilledUpkeep(spaceRepository(ctx, id)).catch(() => false)
    if (ended) ctx.log.warn({ space: id }, 'upkeep was killed: objects of the space are precious again')
  }
  enqueue(
    ctx.store,
    { kind: 'tidy', payload: {}, lane: 'tidy', key: 'tidy', runAt: now.getTime() + day },
    now,
  )
}
