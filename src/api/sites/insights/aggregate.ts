import type { z } from 'zod'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import {
  type EventGroup,
  type EventSum,
  sumSiteEvents,
} from '../../../store/sites/site-event-sums.ts'
import { findSiteSpaces } from '../../../store/sites/site-spaces.ts'
import type { Aggregation, AggregationBody } from './schema.ts'

type Body = z.output<typeof AggregationBody>
type Column = NonNullable<Body['select']>[number]
type Value = z.input<typeof Aggregation>['columns'][number]['values'][number]

const groups = {
  eventType: 'kind',
  siteSpace: 'siteSpace',
  page: 'page',
  eventSearchQuery: 'words',
  eventSearchFound: 'inVain',
} as const satisfies Record<string, EventGroup>

const dayMs = 86_400_000
const days = { lastYear: 365, last3Months: 92, last30Days: 30, last7Days: 7, last24Hours: 1 }

/** Returns the columns of sums of the events of a site. Throws 'invalid' for columns that are no groups. */
export function aggregate(
  ctx: Context,
  siteId: string,
  { select, where = [], groupBy = [], order, range, limit = 1000 }: Body,
): z.input<typeof Aggregation> {
  const shown: readonly Column[] = select ?? [...groupBy, { column: 'eventsCount' }]
  const by = groupBy.map(groupOf)
  for (const column of [...shown, ...(order ? [order.by] : [])])
    if (column.column !== 'eventsCount' && !by.includes(groupOf(column)))
      throw invalid(`"${column.column}" is shown or ordered by: name it in "groupBy", too.`)

  const sums = sumSiteEvents(ctx.store, {
    siteId,
    ...daysOf(range, ctx.now()),
    where: where.map(({ column, values, operator }) => ({
      by: groups[column],
      values: values.map(value => textOf(column, value)),
      isNot: operator === 'notIn',
    })),
    groupBy: [...new Set(by)],
    order: order && {
      by: order.by.column === 'eventsCount' ? 'count' : groupOf(order.by),
      isDescending: order.direction === 'desc',
    },
    limit,
  })
  const spaces = spacesOf(ctx, sums)

  return {
    columns: shown.map(column => ({
      column: column.column,
      values: sums.map(sum => shownValue(column, sum, spaces)),
    })),
  }
}

function groupOf({ column, interval }: Column): EventGroup {
  if (column === 'datetime') return interval === 'month' ? 'month' : 'day'
  if (column === 'eventsCount') throw invalid('"eventsCount" is a sum: it cannot be in "groupBy".')
  return groups[column]
}

function daysOf(range: Body['range'], now: Date): { from: string; to: string } {
  const dayOf = (time: Date) => time.toISOString().slice(0, 10)
  if (typeof range !== 'string')
    return { from: dayOf(new Date(range.from)), to: dayOf(new Date(range.to)) }
  return { from: dayOf(new Date(now.getTime() - days[range] * dayMs)), to: dayOf(now) }
}

/** Returns a value of a filter as the rows have it. */
function textOf(column: string, value: string | boolean | null): string {
  if (column === 'eventSearchFound') return value === true || value === 'true' ? '0' : '1'
  return value === null ? '' : String(value)
}

/** Returns the spaces of the site spaces of pages. */
function spacesOf(ctx: Context, sums: readonly EventSum[]): ReadonlyMap<string, string> {
  const ids = sums.flatMap(({ page }) => page?.split(' ', 1) ?? [])
  const rows = findSiteSpaces(ctx.store, ids)
  return new Map([...rows].map(([id, row]) => [id, row.space_id]))
}

function shownValue(column: Column, sum: EventSum, spaces: ReadonlyMap<string, string>): Value {
  if (column.column === 'eventsCount') return sum.count
  const text = sum[groupOf(column)] ?? ''
  if (column.column === 'datetime') return `${text}T00:00:00.000Z`
  if (column.column === 'siteSpace') return text === '' ? null : text
  if (column.column !== 'page') return text
  const [siteSpace = '', page = ''] = text.split(' ')
  return page === '' ? null : { page, space: spaces.get(siteSpace) ?? null }
}
