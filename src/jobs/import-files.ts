import { runImport } from '../actions/importing/run-import.ts'
import type { JobRun } from './run.ts'

/** Makes uploaded files pages of a space. */
export const importFiles: JobRun<'import-files'> = (ctx, { runId }, about) =>
  runImport(ctx, runId, about)
