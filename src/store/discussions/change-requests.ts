import { type RawBuilder, type Selectable, sql } from 'kysely'
import { among, greater } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
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

/** The filter of a list of change requests; omitted fields match all. Users are ids. */
export type ChangeRequestFilter = {
  status: ChangeRequestStatus
  creator?: string | undefined
  /** A user with commits or comments in it. */
  contributor?: string | undefined
  requestedReviewer?: string | undefined
  /** A user who was asked for a review and has given none of the current revision. */
  waitingFor?: string | undefined
  /** A user who created it, and of whom a reviewer's latest review of the current revision asks for changes. */
  changesAskedOf?: string | undefined
  conversationsIssuesCluster?: string | undefined
  /** A part of the subject in any case, or the number, also with "#". */
  search?: string | undefined
}

/** Selects the ids of change requests by participant or owner, a query per condition. */
function partsOf({
  status,
  contributor,
  requestedReviewer,
  waitingFor,
  changesAskedOf,
  conversationsIssuesCluster,
}: ChangeRequestFilter): RawBuilder<unknown>[] {
  const parts: RawBuilder<unknown>[] = []
  if (contributor !== undefined)
    parts.push(sql`select change_request_id from change_request_contributor where user_id = ${contributor}
      union select change_request_id from commenter where user_id = ${contributor}`)

  if (requestedReviewer !== undefined)
    parts.push(
      sql`select change_request_id from requested_reviewer where user_id = ${requestedReviewer}`,
    )

  if (waitingFor !== undefined)
    parts.push(sql`select q.change_request_id from requested_reviewer q
      cross join change_request asked
      where q.user_id = ${waitingFor} and asked.id = q.change_request_id and not exists (select 1 from review given
        where given.change_request_id = q.change_request_id and given.reviewer_id = ${waitingFor}
          and given.revision = asked.revision)`)

  if (changesAskedOf !== undefined)
    parts.push(sql`select mine.id as change_request_id from change_request mine
      where mine.created_by = ${changesAskedOf} and mine.status = ${status} and exists (
        select 1 from review given where given.change_request_id = mine.id
          and given.revision = mine.revision and given.status = 'changes-requested'
          and not exists (select 1 from review later where later.change_request_id = mine.id
            and later.seq > given.seq and later.reviewer_id = given.reviewer_id
            and later.revision = mine.revision))`)

  if (conversationsIssuesCluster !== undefined)
    parts.push(sql`select id as change_request_id from change_request
      where conversations_issues_cluster = ${conversationsIssuesCluster}`)

  return parts
}

/**
 * Selects the change requests that match a filter: by participants if given, which match few of
 * many, or else by status. `cross join` keeps SQLite from scanning all change requests of a space.
 */
function matching(filter: ChangeRequestFilter, where: RawBuilder<unknown>): RawBuilder<unknown> {
  const parts = partsOf(filter).map(part => sql`select change_request_id from (${part}) as part`)
  const creator = filter.creator === undefined ? sql`` : sql`and r.created_by = ${filter.creator}`
  const rest = sql`${creator} ${textOf(filter)} and ${where}`
  if (parts.length === 0)
    return sql`from change_request r where r.status = ${filter.status} ${rest}`
  return sql`from (${sql.join(parts, sql` intersect `)}) as part
    cross join change_request r where r.id = part.change_request_id and r.status = ${filter.status} ${rest}`
}

function textOf({ search }: ChangeRequestFilter): RawBuilder<unknown> {
  if (search === undefined) return sql``
  const [, number] = /^#?(\d{1,9})$/.exec(search) ?? []
  const isNumber = number === undefined ? sql`` : sql`or r.number = ${Number(number)}`
  return sql`and (instr(folded(r.subject), folded(${search})) > 0 ${isNumber})`
}

/** Returns up to `limit` change requests of a space below the number `before`, newest first. */
export function listChangeRequests(
  store: Store,
  spaceId: string,
  filter: ChangeRequestFilter,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): ChangeRequestRow[] {
  const where = sql`r.space_id = ${spaceId} and r.number < ${before}`
  return store.all(
    sqlRows(sql`select r.* ${matching(filter, where)} order by r.number desc limit ${limit}`),
  )
}

/**
 * Returns up to `limit` change requests of these spaces before the one with this `seq`, newest
 * first. Reads the newest of each space first: a space whose newest is older than that of `limit`
 * others cannot contribute a row.
 */
export function listChangeRequestsOfSpaces(
  store: Store,
  spaceIds: readonly string[],
  filter: ChangeRequestFilter,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): ChangeRequestRow[] {
  if ([filter.creator, filter.search].some(Boolean) || partsOf(filter).length > 0) {
    const where = sql`r.seq < ${before} and r.space_id in ${among(spaceIds)}`
    return store.all(
      sqlRows(sql`select r.* ${matching(filter, where)} order by r.seq desc limit ${limit}`),
    )
  }

  const older = sql`r.status = ${filter.status} and r.seq < ${before}`

  return store.all(
    sqlRows(sql`
      with newest as materialized (
        select json_each.value as space_id,
          (select max(r.seq) from change_request r where r.space_id = json_each.value and ${older}) as seq
        from json_each(${spaceIds})
      ), first as materialized (
        select space_id from newest where seq is not null order by seq desc limit ${limit}
      )
      select found.* from first cross join change_request found where found.seq in (
        select r.seq from change_request r where r.space_id = first.space_id and ${older}
        order by r.seq desc limit ${limit})
      order by found.seq desc limit ${limit}`),
  )
}

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
