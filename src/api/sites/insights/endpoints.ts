import { readSite } from '../../../access/guards/reading.ts'
import { site } from '../../../access/guards/site.ts'
import { invalid } from '../../../errors.ts'
import { endpoint, nothing } from '../../../http/endpoint.ts'
import { findSiteSpaces } from '../../../store/sites/site-spaces.ts'
import { SitePath } from '../schema.ts'
import { aggregate } from './aggregate.ts'
import { Aggregation, AggregationBody, EventsBody } from './schema.ts'

/** How far the time of an event may be from now, in milliseconds. */
const mostApart = 5 * 60_000

export const trackEventsInSiteById = endpoint({
  operationId: 'trackEventsInSiteById',
  summary: 'Count what readers of a site did',
  description:
    'Adds events to the counts of the site. It is meant for programs that show the site themselves; pages that this server shows are counted without it. Only sums by day are stored: by the type of event, the page and the words of a search. The sums are saved every ten seconds, so a crash can lose the last events. The body is refused if `timestamp` of an event is more than five minutes from now.',
  params: SitePath,
  body: EventsBody,
  reply: nothing,
  readers: true,
  access: readSite,
  unstored: 'it would count the events twice',
  handle: ({ ctx, site: { id: siteId }, body: { events } }) => {
    const now = ctx.now().getTime()
    const known = findSiteSpaces(
      ctx.store,
      events.flatMap(({ location }) => location.siteSpace ?? []),
    )

    for (const { timestamp } of events)
      if (timestamp !== undefined && Math.abs(new Date(timestamp).getTime() - now) > mostApart)
        throw invalid('"timestamp" of an event is more than five minutes from now.')

    for (const { type, location, query = '' } of events) {
      const siteSpaceId = location.siteSpace ?? ''
      const isOfSite = known.get(siteSpaceId)?.site_id === siteId
      const isSearch = type === 'search_type_query'
      ctx.siteEvents.note({
        siteId,
        kind: type,
        siteSpaceId: isOfSite ? siteSpaceId : '',
        pageId: (!isSearch && isOfSite && location.page) || '',
        words: isSearch ? query.trim().toLowerCase().replace(/\s+/g, ' ') : '',
        isNothing: false,
      })
    }
  },
})

export const aggregateSiteEvents = endpoint({
  operationId: 'aggregateSiteEvents',
  summary: 'Sum up what readers of a site did',
  description:
    'Returns sums of page views, searches and other events, grouped by the columns in `groupBy`. Searches without a result are selected with `eventSearchFound` in `where`. Sums of 400 days are kept, and the last ten seconds may be missing. For each day, 2,000 pages and 2,000 search texts are kept apart; further ones are summed without a page or text. Programs that identify themselves as such are not counted, and nothing about a reader is stored. Requires the role "admin" on the site.',
  params: SitePath,
  body: AggregationBody,
  reply: Aggregation,
  access: site('admin'),
  handle: ({ ctx, site: { id }, body }) => aggregate(ctx, id, body),
})
