import { type Selectable, sql } from 'kysely'
import { greater } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { ChangeRequestStatus } from '../tables/discussions.ts'
import type { ChangeRequestRow } from '../tables/rows.ts'
import type { Tables } from '../tables/tables.ts'

const changeRequests = new Rows('change_request')

/** Returns a change request of a space by id or number. */
export function findChangeRequest(
  store: Store,
  spaceId: string,
  idOrNumber: string,
): ChangeRequestRow | undefined {
  const of = query.selectFrom('change_request').selectAll().where('space_id', '=', spaceId)
  // An id has letters.
  return store.get(
    /^[1-9]\d{0,8}$/.test(idOrNumber)
      ? of.where('number', '=', Number(idOrNumber))
      : of.where('id', '=', idOrNumber),
  )
}

/** Returns the change request whose merge created this revision. */
export const findChangeRequestByMerge = changeRequests.find('space_id', 'revision_merged')

/** A contributor to a change request. */
export type ContributorRow = Selectable<Tables['change_request_contributor']>

/** Returns the numbers of a space's archived change requests, in order. */
export const listArchivedNumbers = (store: Store, spaceId: string): number[] =>
  store
    .all(
      query
        .selectFrom('change_request')
        .select('number')
        .where('space_id', '=', spaceId)
        .where('status', '=', 'archived')
        .orderBy('number'),
    )
    .map(row => row.number)

/** Returns every change request of a space with a branch: drafts, open and archived ones. */
export const listUnmerged = (store: Store, spaceId: string): ChangeRequestRow[] =>
  store.all(
    query
      .selectFrom('change_request')
      .selectAll()
      .where('space_id', '=', spaceId)
      .where('status', '<>', 'merged')
      .orderBy('number'),
  )

/** How many change requests there are, by status. */
export type ChangeRequestCounts = { total: number } & Record<ChangeRequestStatus, number>

/** Returns the number of change requests of the spaces, by space id: in total, and by status. */
export function countChangeRequests(
  store: Store,
  spaceIds: readonly string[],
): Map<string, ChangeRequestCounts> {
  const counts = new Map<string, ChangeRequestCounts>(
    spaceIds.map(id => [id, { total: 0, open: 0, draft: 0, archived: 0, merged: 0 }]),
  )
  if (spaceIds.length === 0) return counts
  const rows = store.all(
    query
      .selectFrom('change_request')
      .select(({ fn }) => ['space_id', 'status', fn.countAll<number>().as('count')])
      .where('space_id', 'in', [...spaceIds])
      .groupBy(['space_id', 'status']),
  )

  for (const { space_id, status, count } of rows) {
    const of = counts.get(space_id)
    if (!of) continue
    of.total += count
    of[status] = count
  }

  return counts
}

/** Takes the next change request number of a space. Numbers start at 1 and are never reused. */
export function takeChangeRequestNumber(store: Store, spaceId: string): number {
  const row = store.get(
    query
      .updateTable('space')
      .set({ last_change_request: sql<number>`last_change_request + 1` })
      .where('id', '=', spaceId)
      .returning('last_change_request'),
  )
  if (!row) throw new Error(`There is no space ${spaceId} to count change requests in.`)
  return row.last_change_request
}

/** A new change request, without the counters. */
export type NewChangeRequest = Omit<ChangeRequestRow, 'seq' | 'open_comments'>

/** Inserts a change request. */
export const insertChangeRequest = (store: Store, row: NewChangeRequest): number =>
  store.run(query.insertInto('change_request').values(row))

/** Updates a change request. Returns the new row. */
export const updateChangeRequest = changeRequests.update('id')

/** Updates a change request, like `updateChangeRequest`, without returning it. */
export const setChangeRequest = changeRequests.set('id')

/**
 * Counts commits of a user to a change request. `wrote` is false for commits without content of the
 * user.
 */
export const countContribution = (
  store: Store,
  changeRequestId: string,
  userId: string,
  {
    at,
    count = 1,
    wrote = true,
  }: { at: string; count?: number | undefined; wrote?: boolean | undefined },
): number =>
  store.run(
    query
      .insertInto('change_request_contributor')
      .values({
        change_request_id: changeRequestId,
        user_id: userId,
        count,
        updated_at: at,
        wrote: wrote ? 1 : 0,
      })
      .onConflict(conflict =>
        conflict.columns(['change_request_id', 'user_id']).doUpdateSet({
          count: sql<number>`change_request_contributor.count + ${count}`,
          updated_at: at,
          wrote: greater(sql`change_request_contributor.wrote`, sql`excluded.wrote`),
        }),
      ),
  )

/** Returns the contributors to a change request, latest first. */
export const listContributors = (store: Store, changeRequestId: string): ContributorRow[] =>
  store.all(
    query
      .selectFrom('change_request_contributor')
      .selectAll()
      .where('change_request_id', '=', changeRequestId)
      .where('count', '>', 0)
      .orderBy('updated_at', 'desc')
      .orderBy('user_id'),
  )
