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
    siteSpace: Id.meta({ description: 'The site space where it happened.' }),
    page: Id.meta({ description: 'The page where it happened.' }),
  })
  .meta({ description: 'Where it happened. Other parts are not read.' })

const Event = z
  .looseObject({
    type: z.enum(eventTypes).meta({ description: 'What the reader did.' }),
    location: Location,
    timestamp: z.iso.datetime({ offset: true }).optional().meta({
      description: 'When it happened, within five minutes of now. The day of now counts.',
    }),
    query: z.string().max(1000).optional().meta({
      description: 'The words of a search. The first 100 characters are kept.',
    }),
  })
  .meta({
    id: 'SiteInsightsEvent',
    description: 'Something that a reader did. Session, cookies and addresses are not read.',
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
    .meta({ description: 'What is shown, or grouped or ordered by.' }),
  interval: z.enum(['day', 'month'], 'takes "day" or "month"').optional().meta({
    description: 'Of `datetime`: days by default.',
  }),
})

const Filter = z.strictObject({
  column: z.enum(['eventType', 'siteSpace', 'eventSearchQuery', 'eventSearchFound']).meta({
    description: 'What is compared.',
  }),
  values: z
    .array(z.union([z.string().max(1000), z.boolean(), z.null()]))
    .min(1)
    .max(100)
    .meta({ description: 'The values of the events that count. Null is none.' }),
  operator: z.enum(['in', 'notIn'], 'takes "in" or "notIn"').optional().meta({
    description: 'With `notIn`, events with these values do not count.',
  }),
})

const range = ['lastYear', 'last3Months', 'last30Days', 'last7Days', 'last24Hours'] as const

export const AggregationBody = z.strictObject({
  select: z.array(Column).max(10).optional().meta({
    description: 'The columns of the answer. Default: those of `groupBy`, and `eventsCount`.',
  }),
  where: z.array(Filter).max(20).optional().meta({ description: 'Which events count.' }),
  groupBy: z.array(Column).max(5).optional().meta({ description: 'What each sum is of.' }),
  order: z
    .strictObject({
      by: Column.meta({ description: 'The column that decides.' }),
      direction: z.enum(['asc', 'desc']).meta({ description: 'Smallest or largest first.' }),
    })
    .optional()
    .meta({ description: 'The order of the sums.' }),
  range: z
    .union([
      z.enum(range),
      z.strictObject({
        from: z.iso.datetime({ offset: true }).meta({ description: 'A time of the first day.' }),
        to: z.iso.datetime({ offset: true }).meta({ description: 'A time of the last day.' }),
      }),
    ])
    .meta({ description: 'The days in UTC that count, whole ones.' }),
  limit: z.int().min(1).max(1000).optional().meta({
    description: 'The most sums, 1 to 1000. Default: 1000.',
  }),
})

const PageValue = z
  .object({
    page: z.string().meta({ description: 'The id of the page, which may be gone.' }),
    space: z.string().nullable().meta({ description: 'The id of its space; null if it is gone.' }),
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
