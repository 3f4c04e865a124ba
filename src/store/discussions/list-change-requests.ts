import { type RawBuilder, sql } from 'kysely'
import { among } from '../dialect.ts'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { ChangeRequestStatus } from '../tables/discussions.ts'
import type { ChangeRequestRow } from '../tables/rows.ts'

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

/** The orders of lists: newest first, by creation or by last change. */
type ChangeRequestOrder = 'createdAt' | 'updatedAt'

/** The place of a change request in a list: its number or `seq`, or when it changed and its `seq`. */
export type ChangeRequestPlace = number | [updatedAt: string, seq: number]

/** The order of a list, `createdAt` by default, and the place that its rows follow. */
type From = {
  order?: ChangeRequestOrder | undefined
  after?: ChangeRequestPlace | undefined
}

/** Returns the order of a list as SQL, and the condition for the rows after a place. */
function orderOf(column: 'number' | 'seq', { order, after }: From) {
  const own = sql.ref(`r.${column}`)
  const by = order === 'updatedAt' ? sql`r.updated_at desc, r.seq desc` : sql`${own} desc`
  if (typeof after !== 'object')
    return { by, rest: sql`${own} < ${after ?? Number.MAX_SAFE_INTEGER}` }
  return { by, rest: sql`(r.updated_at, r.seq) < (${after[0]}, ${after[1]})` }
}

/** Returns the place of a row in a list by last change. */
export const changePlace = ({ updated_at, seq }: ChangeRequestRow): ChangeRequestPlace => [
  updated_at,
  seq,
]

/** Returns up to `limit` change requests of a space, by default newest first, by their numbers. */
export function listChangeRequests(
  store: Store,
  spaceId: string,
  filter: ChangeRequestFilter,
  limit: number,
  from: From = {},
): ChangeRequestRow[] {
  const { by, rest } = orderOf('number', from)
  const where = sql`r.space_id = ${spaceId} and ${rest}`
  return store.all(
    sqlRows(sql`select r.* ${matching(filter, where)} order by ${by} limit ${limit}`),
  )
}

/**
 * Returns up to `limit` change requests of these spaces, by default newest first. Reads the first of
 * each space first: a space whose first comes behind that of `limit` others cannot contribute a row.
 */
export function listChangeRequestsOfSpaces(
  store: Store,
  spaceIds: readonly string[],
  filter: ChangeRequestFilter,
  limit: number,
  from: From = {},
): ChangeRequestRow[] {
  const { by, rest } = orderOf('seq', from)
  if ([filter.creator, filter.search].some(Boolean) || partsOf(filter).length > 0) {
    const where = sql`${rest} and r.space_id in ${among(spaceIds)}`
    return store.all(
      sqlRows(sql`select r.* ${matching(filter, where)} order by ${by} limit ${limit}`),
    )
  }

  const following = sql`r.status = ${filter.status} and ${rest}`

  return store.all(
    sqlRows(sql`
      with newest as materialized (
        select json_each.value as space_id,
          (select r.seq from change_request r where r.space_id = json_each.value and ${following}
            order by ${by} limit 1) as seq
        from json_each(${spaceIds})
      ), first as materialized (
        select newest.space_id from newest cross join change_request r where r.seq = newest.seq
        order by ${by} limit ${limit}
      )
      select r.* from first cross join change_request r where r.seq in (
        select r.seq from change_request r where r.space_id = first.space_id and ${following}
        order by ${by} limit ${limit})
      order by ${by} limit ${limit}`),
  )
}
