import type { Context } from '../../context.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { currentChangeRequest } from '../heads/current-change-request.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { findOutdated } from '../revisions/find-outdated.ts'

/** A change request with its current revision, and whether it lacks commits of the content. */
export type CurrentChangeRequest = { row: ChangeRequestRow; outdated: boolean }

/**
 * Returns change requests of one space with the current heads of their branches. May take the
 * space's lock: do not hold it.
 */
export async function readCurrent(
  ctx: Context,
  spaceId: string,
  rows: readonly ChangeRequestRow[],
): Promise<CurrentChangeRequest[]> {
  const current: ChangeRequestRow[] = []
  for (const row of rows) current.push(await currentChangeRequest(ctx, row))
  const branches = current
    .filter(row => row.status !== 'merged')
    .map(row => ({ ref: changeRequestRef(row.number), head: row.revision }))
  const outdated = branches.length > 0 ? await outdatedOf(ctx, spaceId, branches) : new Set<Oid>()

  return current.map(row => ({
    row,
    outdated: row.status !== 'merged' && outdated.has(row.revision),
  }))
}

/**
 * Returns the heads that lack commits of the primary content; none if the repository is damaged, so
 * that lists still work.
 */
async function outdatedOf(
  ctx: Context,
  spaceId: string,
  branches: readonly { ref: string; head: Oid }[],
): Promise<Set<Oid>> {
  const { head } = await primaryHead(ctx, { id: spaceId })
  try {
    return await findOutdated(ctx, spaceId, head, branches)
  } catch (error) {
    if (!isGitError(error) || ['no_space', 'busy', 'timeout', 'aborted'].includes(error.code))
      throw error
    ctx.log.error(
      { space: spaceId, err: String(error) },
      'change requests cannot be compared with the primary content: run "stemma verify"',
    )
    return new Set()
  }
}
