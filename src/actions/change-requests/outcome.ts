import type { Context } from '../../context.ts'
import type { MergeConflict } from '../../git/commits/merge.ts'
import type { Oid } from '../../lib/oid.ts'
import { type Conflict, describeConflicts, type Sides } from '../revisions/name-conflicts.ts'

/**
 * The outcome of joining two heads. With conflicts nothing has moved, and `revision` is the change
 * request's.
 */
export type Outcome<Result extends string> =
  | { revision: Oid; result: Result }
  | { revision: Oid; result: 'conflicts'; conflicts: Conflict[] }

/** An outcome whose conflicts are as Git reports them. */
export type BareOutcome<Result extends string> =
  | { revision: Oid; result: Result; found?: never }
  | { found: readonly MergeConflict[]; sides: Sides }

/**
 * Adds to conflicts their pages and hunks. Call it without holding the space's lock: it reads
 * commits, which do not change, and comparing large texts takes time.
 */
export async function describeOutcome<Result extends string>(
  ctx: Context,
  spaceId: string,
  outcome: BareOutcome<Result>,
): Promise<Outcome<Result>> {
  if (!outcome.found) return outcome
  const { found, sides } = outcome
  const conflicts = await describeConflicts(ctx, spaceId, sides, found)
  return { revision: sides.ours, result: 'conflicts', conflicts }
}
