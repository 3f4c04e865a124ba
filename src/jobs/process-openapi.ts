import { removeDeletedSpec } from '../actions/specs/delete-spec.ts'
import { processSpec } from '../actions/specs/process-spec.ts'
import { queueSearchIndex } from '../queue/search.ts'
import { listComputedSpaces } from '../store/search/search-index.ts'
import type { JobRun } from './run.ts'

/** Reads the next source of an OpenAPI spec, or removes the data of a deleted one. */
export const processOpenapi: JobRun<'process-openapi'> = async (
  ctx,
  { specId, deleted },
  about,
) => {
  await (deleted ? removeDeletedSpec(ctx, specId, deleted) : processSpec(ctx, specId, about))
  // Computed pages of any space may have changed.
  ctx.store.transact(() => {
    for (const id of listComputedSpaces(ctx.store)) queueSearchIndex(ctx.store, id, ctx.now())
  })
}
