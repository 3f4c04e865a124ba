import { type RawBuilder, sql } from 'kysely'
import { among } from '../dialect.ts'
import { type Store, sqlRows } from '../store.ts'

/** What sums of events are grouped by. */
export type EventGroup = 'day' | 'month' | 'kind' | 'siteSpace' | 'page' | 'words' | 'inVain'

/** The values of a group, or all but these. */
type EventFilter = { by: EventGroup; values: readonly string[]; isNot: boolean }

type EventSumsQuery = {
  siteId: string
  /** The days, both included. */
  from: string
  to: string
  where: readonly EventFilter[]
  groupBy: readonly EventGroup[]
  order?: { by: EventGroup | 'count'; isDescending: boolean } | undefined
  limit: number
}

/** A sum, with the values of the groups by their names; '' for none. */
export type EventSum = { count: number } & { [Group in EventGroup]?: string }

const columns: Readonly<Record<EventGroup, RawBuilder<string>>> = {
  day: sql`day`,
  month: sql`substr(day, 1, 7) || '-01'`,
  kind: sql`kind`,
  siteSpace: sql`site_space_id`,
  page: sql`site_space_id || ' ' || page_id`,
  words: sql`words`,
  inVain: sql`cast(in_vain as text)`,
}

/** Returns the sums of the events of a site, at most `limit` of them. */
export function sumSiteEvents(
  store: Store,
  { siteId, from, to, where, groupBy, order, limit }: EventSumsQuery,
): EventSum[] {
  const groups = groupBy.map(group => sql`${columns[group]} as ${sql.ref(group)}`)
  const conditions = where.map(
    ({ by, values, isNot }) =>
      sql` and ${columns[by]} ${isNot ? sql`not in` : sql`in`} ${among(values)}`,
  )
  const by = order && (order.by === 'count' ? sql`count` : columns[order.by])
  const direction = order?.isDescending ? sql`desc` : sql`asc`
  const others = groupBy.map(group => columns[group])
  const ordered = [...(by ? [sql`${by} ${direction}`] : []), ...others]

  return store
    .all(
      sqlRows<EventSum>(sql`
      select ${sql.join([...groups, sql`coalesce(sum(count), 0) as count`])}
      from site_event
      where site_id = ${siteId} and day >= ${from} and day <= ${to}${conditions.length > 0 ? sql.join(conditions, sql``) : sql``}
      ${others.length > 0 ? sql`group by ${sql.join(others)}` : sql``}
      ${ordered.length > 0 ? sql`order by ${sql.join(ordered)}` : sql``}
      limit ${limit}`),
    )
    .map(row => ({ ...row, count: Number(row.count) }))
}

/** Deletes up to `limit` sums of days before a day. Returns their number. */
export const deleteSiteEventsBefore = (store: Store, day: string, limit: number): number =>
  store.run(
    sqlRows(sql`
      delete from site_event
      where (site_id, day, kind, site_space_id, page_id, words, in_vain) in (
        select site_id, day, kind, site_space_id, page_id, words, in_vain
        from site_event where day < ${day} limit ${limit})`),
  )
