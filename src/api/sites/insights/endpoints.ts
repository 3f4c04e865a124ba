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
    'For programs that show the site themselves; the pages of the server count by themselves. Only sums by day are kept: of the type, the page and the words of a search. They are written every ten seconds, so that a crash loses some.',
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
    'For admins of the site: views of pages and searches by day, page and words, also those alone that found nothing (`eventSearchFound` in `where`). Nothing about a reader is stored. Programs that say so are not counted. The sums are those of up to ten seconds ago, and of up to 400 days. Of a day, up to 2,000 pages and 2,000 words are told apart; the others are summed up without them.',
  params: SitePath,
  body: AggregationBody,
  reply: Aggregation,
  access: site('admin'),
  handle: ({ ctx, site: { id }, body }) => aggregate(ctx, id, body),
})
