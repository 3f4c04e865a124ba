import { bringManual as bring } from '../actions/manual/bring-manual.ts'
import type { JobRun } from './run.ts'

/** Publishes the manual of Stemma after the first start. */
export const bringManual: JobRun<'bring-manual'> = (ctx, { key }, { signal }) =>
  bring(ctx, key, signal)
