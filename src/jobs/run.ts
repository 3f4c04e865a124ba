import type { Context } from '../context.ts'
import type { JobKind, JobPayloads } from '../queue/kinds.ts'

/** What a job's doing gets: stop when the signal says so, leaving everything so that it can go on later. */
export type JobRun<Kind extends JobKind> = (
  ctx: Context,
  payload: JobPayloads[Kind],
  signal: AbortSignal,
) => Promise<void>
