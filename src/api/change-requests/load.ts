import type { z } from 'zod'
import { currentChangeRequest } from '../../actions/current-change-request.ts'
import { findOutdated } from '../../actions/find-outdated.ts'
import { primaryHead } from '../../actions/reconcile-space.ts'
import { changeRequestRef } from '../../actions/ref-names.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../git/oid.ts'
import type { ChangeRequestRow, SpaceRow } from '../../store/rows.ts'
import { findUsers } from '../../store/users.ts'
import { presentChangeRequest } from './present.ts'
import type { ChangeRequest } from './schema.ts'

/**
 * Change requests of one space as the API shows them, in the order given, with what was pushed to their branches from
 * outside. May take the space's lock: do not hold it.
 */
export async function loadChangeRequests(
  ctx: Context,
  space: Pick<SpaceRow, 'id'>,
  rows: readonly ChangeRequestRow[],
): Promise<z.input<typeof ChangeRequest>[]> {
  const current: ChangeRequestRow[] = []
  for (const row of rows) current.push(await currentChangeRequest(ctx, row))
  const users = findUsers(
    ctx.store,
    current.map(row => row.created_by),
  )
  const branches = current
    .filter(row => row.status !== 'merged')
    .map(row => ({ ref: changeRequestRef(row.number), head: row.revision as Oid }))
  const outdated =
    branches.length > 0
      ? await findOutdated(ctx, space.id, (await primaryHead(ctx, space)).head, branches)
      : new Set<Oid>()
  const base = ctx.publicUrl()
  return current.map(row =>
    presentChangeRequest(row, {
      createdBy: users.get(row.created_by)!,
      outdated: row.status !== 'merged' && outdated.has(row.revision as Oid),
      base,
    }),
  )
}

/** The same for one. */
export async function loadChangeRequest(
  ctx: Context,
  space: Pick<SpaceRow, 'id'>,
  row: ChangeRequestRow,
): Promise<z.input<typeof ChangeRequest>> {
  const [resource] = await loadChangeRequests(ctx, space, [row])
  return resource!
}
