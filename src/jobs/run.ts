import type { Context } from '../context.ts'
import type { JobAttempt, JobKind, JobPayloads } from '../queue/kinds.ts'

/**
 * The handler of a job. When the signal is aborted, it stops and leaves a state that a later run
 * can resume.
 */
export type JobRun<Kind extends JobKind> = (
  ctx: Context,
  payload: JobPayloads[Kind],
  about: JobAttempt,
) => Promise<void>
