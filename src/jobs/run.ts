import type { Context } from '../context.ts'
import type { JobKind, JobPayloads } from '../queue/kinds.ts'

/** What a job's doing is told: stop when the signal says so, leaving everything so that it can go on later; `attempt` counts from 1. */
export type JobRun<Kind extends JobKind> = (
  ctx: Context,
  payload: JobPayloads[Kind],
  about: { signal: AbortSignal; attempt: number },
) => Promise<void>
