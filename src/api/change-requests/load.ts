import type { z } from 'zod'
import { currentChangeRequest } from '../../actions/heads/current-change-request.ts'
import { primaryHead } from '../../actions/heads/reconcile-space.ts'
import { changeRequestRef } from '../../actions/repositories/ref-names.ts'
import { findOutdated } from '../../actions/revisions/find-outdated.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../git/values/oid.ts'
import { findShownUsers } from '../../store/people/users.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { presentChangeRequest } from './present.ts'
import type { ChangeRequest } from './schema.ts'

type Resource = z.input<typeof ChangeRequest>

/** How many spaces are read at once: more would take Git away from others. */
const lanes = 4

/**
 * Change requests of any spaces as the API shows them, in the order given, with what was pushed to their branches from
 * outside; the head of each space is read once. `viewerId` decides about e-mail addresses: undefined shows none. May take the spaces' locks: hold none.
 */
export async function loadChangeRequests(
  ctx: Context,
  rows: readonly ChangeRequestRow[],
  viewerId: string | undefined,
): Promise<Resource[]> {
  const spaces = new Map<string, ChangeRequestRow[]>()
  for (const row of rows) {
    const beside = spaces.get(row.space_id)
    if (beside) beside.push(row)
    else spaces.set(row.space_id, [row])
  }
  const waiting = [...spaces]
  const current = new Map<string, Current>()
  const lane = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop())
      for (const each of await readCurrent(ctx, ...next)) current.set(each.row.id, each)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const users = findShownUsers(
    ctx.store,
    viewerId,
    rows.map(row => row.created_by),
  )
  const base = ctx.publicUrl()
  return rows.map(({ id }) => {
    const { row, outdated } = current.get(id)!
    return presentChangeRequest(row, { createdBy: users.get(row.created_by)!, outdated, base })
  })
}

/** The same for one. */
export async function loadChangeRequest(
  ctx: Context,
  row: ChangeRequestRow,
  viewerId: string | undefined,
): Promise<Resource> {
  const [resource] = await loadChangeRequests(ctx, [row], viewerId)
  return resource!
}

type Current = { row: ChangeRequestRow; outdated: boolean }

/** Change requests of one space as they are now. */
async function readCurrent(
  ctx: Context,
  spaceId: string,
  rows: readonly ChangeRequestRow[],
): Promise<Current[]> {
  const current: ChangeRequestRow[] = []
  for (const row of rows) current.push(await currentChangeRequest(ctx, row))
  const branches = current
    .filter(row => row.status !== 'merged')
    .map(row => ({ ref: changeRequestRef(row.number), head: row.revision as Oid }))
  const outdated =
    branches.length > 0
      ? await findOutdated(ctx, spaceId, (await primaryHead(ctx, { id: spaceId })).head, branches)
      : new Set<Oid>()
  return current.map(row => ({
    row,
    outdated: row.status !== 'merged' && outdated.has(row.revision as Oid),
  }))
}
