import { site } from '../../../access/guards/site.ts'
import { listing } from '../../../http/list.ts'
import { listPageRatings, type PageRatings } from '../../../store/sites/page-feedback.ts'
import { SitePath } from '../schema.ts'
import { FeedbackQuery, SitePageFeedback } from './schema.ts'

export const listSitePageFeedback = listing({
  operationId: 'listSitePageFeedback',
  summary: 'List what readers of a site answered to "Was this page helpful?"',
  description:
    'For admins of the site: the pages with answers, by site space and page, while the customization enables feedback or did so before. Nothing about a reader is stored beyond the day.',
  params: SitePath,
  query: FeedbackQuery,
  item: SitePageFeedback,
  access: site('admin'),
  list: ({ ctx, site: { id: siteId }, query: { from, to } }) => {
    const filter = { siteId, from, to }
    return {
      name: `page feedback ${siteId} ${from ?? ''} ${to ?? ''}`,
      rows: (limit, after: [string, string] | undefined) =>
        listPageRatings(ctx.store, filter, limit, after),
      key: row => [row.site_space_id, row.page_id],
      show: rows => rows.map(present),
    }
  },
})

const present = ({ site_space_id: siteSpace, page_id: page, yes, partly, no }: PageRatings) => ({
  object: 'site-page-feedback' as const,
  siteSpace,
  page,
  ratings: { yes, partly, no },
})
