import { removeDeletedOpenapi } from '../actions/delete-openapi.ts'
import { processOpenapi as process } from '../actions/process-openapi.ts'
import type { JobRun } from './run.ts'

/** Reads what waits to be read of an OpenAPI description, or removes what a deleted one has left. */
export const processOpenapi: JobRun<'process-openapi'> = (ctx, { specId, deleted }, about) =>
  deleted ? removeDeletedOpenapi(ctx, specId, deleted) : process(ctx, specId, about)
