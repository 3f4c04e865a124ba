import { type RawBuilder, sql } from 'kysely'
import type { Steps } from '../../lib/slices.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { AuditEventRow } from '../tables/rows.ts'

/** Adds an event, which stays as it is for good. */
export const insertAuditEvent = (store: Store, row: Omit<AuditEventRow, 'seq'>): number =>
  store.run(query.insertInto('audit_event').values(row))

/** What a list of events is restricted to; what is not said restricts nothing. */
export type AuditFilter = {
  /** The earliest time. */
  from?: string | undefined
  /** The first time that is too late. */
  to?: string | undefined
  action?: string | undefined
  /** A user's id; null: nobody known. */
  userId?: string | null | undefined
  targetId?: string | undefined
  spaceId?: string | undefined
}

/** Where a list of events goes on: before the one with this time and `seq`. */
type Key = readonly [at: string, seq: number]

/** How many events are looked at in one step. */
const batch = 2_000

/**
 * The events of an organization, newest first, `limit` from those before the key. In steps: events are never taken out, and
 * of very many that meet one condition few may meet another one.
 */
export function* listAuditEvents(
  store: Store,
  organizationId: string,
  filter: AuditFilter,
  limit: number,
  before?: Key,
): Steps<AuditEventRow[]> {
  const within = (key: Key | undefined) => sql`organization_id = ${organizationId}
    ${filter.from === undefined ? sql`` : sql`and created_at >= ${filter.from}`}
    ${filter.to === undefined ? sql`` : sql`and created_at < ${filter.to}`}
    ${key ? sql`and (created_at, seq) < (${key[0]}, ${key[1]})` : sql``}`
  const [rarest = sql`true`, ...others] = rarestFirst(store, within(before), conditionsOf(filter))
  const fits = sql.join([sql`true`, ...others], sql` and `)
  const looked = others.length === 0 ? limit : batch
  const seqs: number[] = []
  for (let key = before; ; ) {
    const rows = store.all(
      // Another condition in its "where", and SQLite may take the index of that one.
      sqlRows<{ seq: number; created_at: string; fits: number }>(sql`
        select seq, created_at, ${fits} as fits from audit_event where ${within(key)} and ${rarest}
        order by created_at desc, seq desc limit ${looked}`),
    )
    for (const row of rows) if (row.fits) seqs.push(row.seq)
    const last = rows.at(-1)
    if (!last || rows.length < looked || seqs.length >= limit) break
    key = [last.created_at, last.seq]
    yield
  }
  const list = JSON.stringify(seqs.slice(0, limit))
  return store.all(
    sqlRows<AuditEventRow>(sql`
      select * from audit_event where seq in (select value from json_each(${list}))
      order by created_at desc, seq desc`),
  )
}

type Condition = RawBuilder<unknown>

/** The conditions of a filter that have an index each. */
function conditionsOf({ action, userId, targetId, spaceId }: AuditFilter): Condition[] {
  const said = { target_id: targetId, user_id: userId, action, space_id: spaceId }
  return Object.entries(said).flatMap(([column, value]) => {
    if (value === undefined) return []
    return [value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`]
  })
}

/** The conditions, that which the fewest events meet first, as far as a look at some of them tells. */
function rarestFirst(store: Store, within: Condition, conditions: Condition[]): Condition[] {
  if (conditions.length < 2) return conditions
  const counted = conditions.map(condition => ({
    condition,
    count:
      store.get(
        sqlRows<{ count: number }>(sql`
          select count(*) as count from (
            select 1 from audit_event where ${within} and ${condition} limit ${batch})`),
      )?.count ?? 0,
  }))
  return counted.sort((a, b) => a.count - b.count).map(({ condition }) => condition)
}

/** One event of an organization. */
export const findAuditEvent = (store: Store, organizationId: string, id: string): AuditEventRow | undefined =>
  store.get(
    query
      .selectFrom('audit_event')
      .selectAll()
      .where('id', '=', id)
      .where('organization_id', '=', organizationId),
  )

/** Returns the latest time of any event in milliseconds since 1970; undefined when there is none. */
export const latestEventTime = (store: Store): number | undefined => {
  const row = store.get(query.selectFrom('audit_event').select('created_at').orderBy('seq', 'desc').limit(1))
  return row && Date.parse(row.created_at)
}
