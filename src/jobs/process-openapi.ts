import { removeDeletedOpenapi } from '../actions/specs/delete-spec.ts'
import { processOpenapi as process } from '../actions/specs/process-spec.ts'
import { queueSearchIndex } from '../queue/search.ts'
import { listComputedSpaces } from '../store/search/search-index.ts'
import type { JobRun } from './run.ts'

/** Reads what waits to be read of an OpenAPI description, or removes what a deleted one has left. */
export const processOpenapi: JobRun<'process-openapi'> = async (ctx, { specId, deleted }, about) => {
  await (deleted ? removeDeletedOpenapi(ctx, specId, deleted) : process(ctx, specId, about))
  // Pages that are made of it may say something else now.
  ctx.store.transact(() => {
    for (const id of listComputedSpaces(ctx.store)) queueSearchIndex(ctx.store, id, ctx.now())
  })
}
