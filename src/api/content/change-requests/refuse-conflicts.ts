import type { z } from 'zod'
import type { Outcome } from '../../../actions/change-requests/outcome.ts'
import { Fault } from '../../../errors.ts'
import type { ConflictQuery } from './schema.ts'

/** The most files that the message names; the details list all conflicts. */
const mostNamed = 10

/**
 * Returns the outcome. Throws 'conflict' if it has conflicts and the caller wants an error, which
 * says what to do.
 */
export function refuseConflicts<Result extends string>(
  outcome: Outcome<Result>,
  { conflict }: z.infer<typeof ConflictQuery>,
  advice = 'Send a resolution of each conflict to the update operation, or merge with git and push.',
): Outcome<Result> {
  if (conflict === undefined || !('conflicts' in outcome)) return outcome
  const { conflicts } = outcome
  const paths = [...new Set(conflicts.map(({ path }) => path))]
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ''
  throw new Fault(
    'merge_conflict',
    `Both sides changed the same files, and nothing was merged: ${paths.slice(0, mostNamed).join(', ')}${more}. ${advice}`,
    { conflicts },
  )
}
