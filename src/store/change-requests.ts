import { type Selectable, sql } from 'kysely'
import type { ChangeRequestRow } from './rows.ts'
import type { Store } from './store.ts'
import { query } from './store.ts'
import type { ChangeRequestStatus, Tables } from './tables.ts'

/** A space's change request by its id, or by its number. */
export const findChangeRequest = (
  store: Store,
  spaceId: string,
  idOrNumber: string,
): ChangeRequestRow | undefined => {
  const of = query.selectFrom('change_request').selectAll().where('space_id', '=', spaceId)
  const byId = store.get(of.where('id', '=', idOrNumber))
  if (byId || !/^[1-9]\d{0,8}$/.test(idOrNumber)) return byId
  return store.get(of.where('number', '=', Number(idOrNumber)))
}

/** The change request whose merge made this revision. */
export const findChangeRequestByMerge = (
  store: Store,
  spaceId: string,
  revision: string,
): ChangeRequestRow | undefined =>
  store.get(
    query
      .selectFrom('change_request')
      .selectAll()
      .where('space_id', '=', spaceId)
      .where('revision_merged', '=', revision),
  )

/** Somebody's commits to a change request. */
export type ContributorRow = Selectable<Tables['change_request_contributor']>

export type ChangeRequestFilter = {
  status?: ChangeRequestStatus | undefined
  creator?: string | undefined
  contributor?: string | undefined
}

/** The change requests that a filter lets through. */
function matching(filter: ChangeRequestFilter) {
  let select = query.selectFrom('change_request').selectAll('change_request')
  if (filter.status) select = select.where('status', '=', filter.status)
  if (filter.creator) select = select.where('created_by', '=', filter.creator)
  if (filter.contributor) {
    const theirs = query
      .selectFrom('change_request_contributor')
      .select('change_request_id')
      .where('user_id', '=', filter.contributor)
    select = select.where('change_request.id', 'in', theirs)
  }
  return select
}

/** A space's change requests, newest first, `limit` from below the number `before`. */
export const listChangeRequests = (
  store: Store,
  spaceId: string,
  filter: ChangeRequestFilter,
  limit: number,
  before?: number,
): ChangeRequestRow[] => {
  let select = matching(filter).where('space_id', '=', spaceId)
  if (before !== undefined) select = select.where('number', '<', before)
  return store.all(select.orderBy('number', 'desc').limit(limit))
}

/** Those of an organization's spaces that are not deleted, newest first, `limit` from before the one with this `seq`. */
export const listChangeRequestsOfOrganization = (
  store: Store,
  organizationId: string,
  filter: ChangeRequestFilter,
  limit: number,
  before?: number,
): ChangeRequestRow[] => {
  const spaces = query
    .selectFrom('space')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
  let select = matching(filter).where('space_id', 'in', spaces)
  if (before !== undefined) select = select.where('seq', '<', before)
  return store.all(select.orderBy('seq', 'desc').limit(limit))
}

/** Every change request of a space whose branch exists: draft, open and archived ones. */
export const listUnmerged = (store: Store, spaceId: string): ChangeRequestRow[] =>
  store.all(
    query
      .selectFrom('change_request')
      .selectAll()
      .where('space_id', '=', spaceId)
      .where('status', '<>', 'merged')
      .orderBy('number'),
  )

export type ChangeRequestCounts = { total: number; open: number; draft: number }

/** How many change requests the spaces have, by space id: in all, open, draft. */
export const countChangeRequests = (
  store: Store,
  spaceIds: readonly string[],
): Map<string, ChangeRequestCounts> => {
  const counts = new Map<string, ChangeRequestCounts>(
    spaceIds.map(id => [id, { total: 0, open: 0, draft: 0 }]),
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
    if (status === 'open') of.open = count
    if (status === 'draft') of.draft = count
  }
  return counts
}

/** Takes the next number of a space for a change request: counted from 1, never given twice. */
export const takeChangeRequestNumber = (store: Store, spaceId: string): number => {
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

/** A change request to add; what is counted begins at nothing. */
export type NewChangeRequest = Omit<ChangeRequestRow, 'seq' | 'open_comments'>

/** Adds a change request. */
export const insertChangeRequest = (store: Store, row: NewChangeRequest): number =>
  store.run(query.insertInto('change_request').values(row))

/** Changes a change request; the row as it is then. */
export const updateChangeRequest = (
  store: Store,
  id: string,
  set: Partial<Omit<ChangeRequestRow, 'id' | 'seq'>>,
): ChangeRequestRow | undefined =>
  store.get(query.updateTable('change_request').set(set).where('id', '=', id).returningAll())

/** Counts one more commit of a user on a change request. */
export const countContribution = (
  store: Store,
  changeRequestId: string,
  userId: string,
  at: string,
): number =>
  store.run(
    query
      .insertInto('change_request_contributor')
      .values({ change_request_id: changeRequestId, user_id: userId, count: 1, updated_at: at })
      .onConflict(conflict =>
        conflict
          .columns(['change_request_id', 'user_id'])
          .doUpdateSet({ count: sql<number>`count + 1`, updated_at: at }),
      ),
  )

/** Who committed to a change request, latest first. */
export const listContributors = (store: Store, changeRequestId: string): ContributorRow[] =>
  store.all(
    query
      .selectFrom('change_request_contributor')
      .selectAll()
      .where('change_request_id', '=', changeRequestId)
      .orderBy('updated_at', 'desc')
      .orderBy('user_id'),
  )
