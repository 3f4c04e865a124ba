import { enqueue } from '../queue/enqueue.ts'
import { deleteIdempotencyBefore } from '../store/idempotency.ts'
import type { JobRun } from './run.ts'

const day = 24 * 60 * 60 * 1000

/** Forgets answers older than a day, and comes again tomorrow. */
export const tidy: JobRun<'tidy'> = async ctx => {
  const now = ctx.now()
  deleteIdempotencyBefore(ctx.store, new Date(now.getTime() - day).toISOString())
  enqueue(
    ctx.store,
    { kind: 'tidy', payload: {}, lane: 'tidy', key: 'tidy', runAt: now.getTime() + day },
    now,
  )
}
