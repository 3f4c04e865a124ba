import { site } from '../../../access/guards/site.ts'
import { listing } from '../../../http/list.ts'
import { listPageRatings, type PageRatings } from '../../../store/sites/page-feedback.ts'
import { SitePath } from '../schema.ts'
import { FeedbackQuery, SitePageFeedback } from './schema.ts'

export const listSitePageFeedback = listing({
  operationId: 'listSitePageFeedback',
  summary: 'List what readers of a site answered to "Was this page helpful?"',
  description:
    'Returns the number of answers per page to the question "Was this page helpful?", by site space and page. Pages without an answer are left out. Answers are counted while the customization of the site enables the question. Apart from the day, nothing about a reader is stored. Requires the role "admin" on the site.',
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
