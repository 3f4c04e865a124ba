import { z } from 'zod'

/** The kinds of events, as the official client names them. */
const eventTypes = [
  'page_view',
  'page_markdown_request',
  'search_open',
  'search_type_query',
  'search_open_result',
  'page_post_feedback',
  'page_post_feedback_comment',
  'agent_feedback',
  'ask_question',
  'ask_view',
  'ask_rate_response',
  'link_click',
  'api_client_open',
  'api_client_request',
  'ad_click',
  'ad_display',
  'trademark_click',
  'llms_request',
  'mcp_request',
  'rss_request',
] as const

const Id = z
  .string()
  .regex(/^[\w-]{1,100}$/, 'takes an id')
  .nullable()
  .optional()

const Location = z
  .looseObject({
    siteSpace: Id.meta({ description: 'The id of the site space.' }),
    page: Id.meta({ description: 'The id of the page.' }),
  })
  .meta({ description: 'The place of the event. Other properties are ignored.' })

const Event = z
  .looseObject({
    type: z.enum(eventTypes).meta({ description: 'What the reader did.' }),
    location: Location,
    timestamp: z.iso.datetime({ offset: true }).optional().meta({
      description:
        'The time of the event, at most five minutes from now. The event is counted for the current day.',
    }),
    query: z.string().max(1000).optional().meta({
      description: 'The text of a search. The first 100 characters are stored.',
    }),
  })
  .meta({
    id: 'SiteInsightsEvent',
    description: 'An action of a reader. Sessions, cookies and addresses are ignored.',
  })

export const EventsBody = z.strictObject({
  events: z.array(Event).max(100).meta({ description: 'Up to 100 events.' }),
})

const columns = [
  'datetime',
  'eventType',
  'siteSpace',
  'page',
  'eventSearchQuery',
  'eventsCount',
] as const

const Column = z.strictObject({
  column: z
    .enum(columns, {
      error: `takes ${columns.map(name => `"${name}"`).join(', ')}: nothing else of a reader is stored`,
    })
    .meta({ description: 'The column.' }),
  interval: z.enum(['day', 'month'], 'takes "day" or "month"').optional().meta({
    description: 'The length of the periods of `datetime`. Default: day.',
  }),
})

const Filter = z.strictObject({
  column: z.enum(['eventType', 'siteSpace', 'eventSearchQuery', 'eventSearchFound']).meta({
    description: 'The column whose values are compared.',
  }),
  values: z
    .array(z.union([z.string().max(1000), z.boolean(), z.null()]))
    .min(1)
    .max(100)
    .meta({ description: 'The values to select; null selects events without a value.' }),
  operator: z.enum(['in', 'notIn'], 'takes "in" or "notIn"').optional().meta({
    description:
      '`in` selects events with these values, `notIn` events without them. Default: `in`.',
  }),
})

const range = ['lastYear', 'last3Months', 'last30Days', 'last7Days', 'last24Hours'] as const

export const AggregationBody = z.strictObject({
  select: z.array(Column).max(10).optional().meta({
    description: 'The columns of the answer. Default: the columns of `groupBy`, and `eventsCount`.',
  }),
  where: z
    .array(Filter)
    .max(20)
    .optional()
    .meta({ description: 'Filters that select events. An event must pass all of them.' }),
  groupBy: z
    .array(Column)
    .max(5)
    .optional()
    .meta({ description: 'The columns by which events are grouped. Each group has one sum.' }),
  order: z
    .strictObject({
      by: Column.meta({ description: 'The column to order by.' }),
      direction: z
        .enum(['asc', 'desc'])
        .meta({ description: '`asc`: smallest first; `desc`: largest first.' }),
    })
    .optional()
    .meta({ description: 'The order of the sums.' }),
  range: z
    .union([
      z.enum(range),
      z.strictObject({
        from: z.iso.datetime({ offset: true }).meta({ description: 'A time in the first day.' }),
        to: z.iso.datetime({ offset: true }).meta({ description: 'A time in the last day.' }),
      }),
    ])
    .meta({ description: 'The period: whole days in UTC.' }),
  limit: z.int().min(1).max(1000).optional().meta({
    description: 'The maximum number of sums, 1 to 1000. Default: 1000.',
  }),
})

const PageValue = z
  .object({
    page: z.string().meta({ description: 'The id of the page, which may have been deleted.' }),
    space: z
      .string()
      .nullable()
      .meta({ description: 'The id of its space; null if the space is deleted.' }),
  })
  .nullable()

export const Aggregation = z
  .object({
    columns: z
      .array(
        z.object({
          column: z.enum(columns).meta({ description: 'The name of the column.' }),
          values: z
            .array(z.union([z.string(), z.number(), z.boolean(), PageValue]))
            .meta({ description: 'A value for each sum, in the same order in all columns.' }),
        }),
      )
      .meta({ description: 'The columns of `select`.' }),
  })
  .meta({
    id: 'SiteInsightsAggregation',
    description: 'Sums of what readers of a site did.',
  })
