import type { z } from 'zod'
import { atLeast } from '../../../access/roles.ts'
import { findMergeability } from '../../../actions/change-requests/mergeability.ts'
import {
  type CurrentChangeRequest,
  readCurrent,
} from '../../../actions/change-requests/read-current.ts'
import type { Context } from '../../../context.ts'
import { mustGet } from '../../../lib/must-get.ts'
import { findShownUsers } from '../../../store/people/users.ts'
import type { Role } from '../../../store/tables/roles.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../../store/tables/rows.ts'
import { presentChangeRequest } from './present.ts'
import type { ChangeRequest, ChangeRequestQuery } from './schema.ts'

type Resource = z.input<typeof ChangeRequest>

/** What both lists of change requests say of themselves. */
export const listDescription =
  'Returns open change requests by default; `status` selects others. Several filters can be combined. With `orderBy=updatedAt`, the latest change comes first: a change request that changes between two pages moves to the front, and no later page has it.'

/** Returns the filters of a list of change requests: without a status, the open ones. */
export function filterOf(query: Omit<z.output<typeof ChangeRequestQuery>, 'orderBy'>) {
  const { page: _page, limit: _limit, status = 'open', ...said } = query
  return { status, ...said }
}

/**
 * The number of spaces that are read concurrently: more would starve other requests of git
 * processes.
 */
const lanes = 4

/**
 * Returns change requests of any spaces as the API shows them, in the given order, including
 * commits pushed to their branches. Reads the head of each space once. `viewerId` decides which
 * e-mail addresses are shown: undefined shows none. May take the spaces' locks, so call it without
 * holding one.
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
  const current = new Map<string, CurrentChangeRequest>()
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

  return rows.map(({ id }) => {
    const { row, outdated } = mustGet(current, id)
    return presentChangeRequest(ctx, row, { createdBy: mustGet(users, row.created_by), outdated })
  })
}

/**
 * Returns one change request as `loadChangeRequests` does, with what stands in the way of its merge
 * by the viewer if it can be merged at all.
 */
export async function loadForMerge(
  ctx: Context,
  {
    space,
    row: stored,
    by,
    role,
  }: { space: SpaceRow; row: ChangeRequestRow; by: UserRow; role: Role },
): Promise<Resource> {
  const [current] = await readCurrent(ctx, space.id, [stored])
  const { row, outdated } = current!
  const isOpen = row.status === 'draft' || row.status === 'open'
  const merge = isOpen ? await findMergeability(ctx, { space, row, outdated, by }) : undefined
  const users = findShownUsers(ctx.store, by.id, [row.created_by])

  return presentChangeRequest(ctx, row, {
    createdBy: mustGet(users, row.created_by),
    outdated,
    merge,
    // As for a merge, the role decides what the caller is told about rules.
    showsRules: atLeast(role, 'edit'),
  })
}

/** Returns one change request as `loadChangeRequests` does. */
export async function loadChangeRequest(
  ctx: Context,
  row: ChangeRequestRow,
  viewerId: string | undefined,
): Promise<Resource> {
  const [resource] = await loadChangeRequests(ctx, [row], viewerId)
  return resource!
}
