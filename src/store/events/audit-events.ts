import { type RawBuilder, sql } from 'kysely'
import type { Steps } from '../../lib/slices.ts'
import { amongNumbers } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { AuditEventRow } from '../tables/rows.ts'

const auditEvents = new Rows('audit_event')

/** Inserts an event. Events are never changed. */
export const insertAuditEvent = (store: Store, row: Omit<AuditEventRow, 'seq'>): void =>
  store.send(query.insertInto('audit_event').values(row))

/** The filter of a list of events. */
export type AuditFilter = {
  /** Start time, inclusive. */
  from?: string | undefined
  /** End time, exclusive. */
  to?: string | undefined
  action?: string | undefined
  /** A user id; null: events without a known user. */
  userId?: string | null | undefined
  targetId?: string | undefined
  spaceId?: string | undefined
}

/** The position of a page of events: before the event with this time and `seq`. */
type Key = readonly [at: string, seq: number]

/** The number of events that one step reads. */
const batch = 2_000

/**
 * Yields to the event loop between steps, and returns up to `limit` events of an organization
 * before the key, newest first. It works in steps because very many events may match one condition
 * and few of them another.
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
      // With another condition in the "where" clause, SQLite might choose the index of that
      // condition.
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

  return store.all(
    sqlRows<AuditEventRow>(sql`
      select * from audit_event where seq in ${amongNumbers(seqs.slice(0, limit))}
      order by created_at desc, seq desc`),
  )
}

type Condition = RawBuilder<unknown>

/** Returns the conditions of a filter. Each has an index. */
function conditionsOf({ action, userId, targetId, spaceId }: AuditFilter): Condition[] {
  const said = { target_id: targetId, user_id: userId, action, space_id: spaceId }
  return Object.entries(said).flatMap(([column, value]) => {
    if (value === undefined) return []
    return [value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`]
  })
}

/** Returns the conditions ordered by the estimated number of matching events, fewest first. */
function rarestFirst(store: Store, within: Condition, conditions: Condition[]): Condition[] {
  if (conditions.length < 2) return conditions
  const counted = conditions.map(condition => ({
    condition,
    count:
      store.get(
        sqlRows<{ count: number }>(sql`
          select count(*) as count from (
            select 1 from audit_event where ${within} and ${condition} limit ${batch}) as first`),
      )?.count ?? 0,
  }))

  return counted.sort((a, b) => a.count - b.count).map(({ condition }) => condition)
}

/** Returns one event of an organization. */
export const findAuditEvent = auditEvents.find('organization_id', 'id')

/**
 * Returns the time of the latest event in milliseconds since 1970; undefined if there are no
 * events.
 */
export function latestEventTime(store: Store): number | undefined {
  const row = store.get(
    query.selectFrom('audit_event').select('created_at').orderBy('seq', 'desc').limit(1),
  )
  return row && Date.parse(row.created_at)
}
