import type { Context } from '../context.ts'
import type { JobKind, JobPayloads } from '../queue/kinds.ts'

/**
 * The handler of a job. When the signal is aborted, it stops and leaves a state that a later run
 * can resume. `attempt` counts from 1.
 */
export type JobRun<Kind extends JobKind> = (
  ctx: Context,
  payload: JobPayloads[Kind],
  about: { signal: AbortSignal; attempt: number },
) => Promise<void>
