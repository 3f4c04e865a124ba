import { site } from '../../../access/guards/site.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { envelope, pageOf } from '../../../http/list.ts'
import {
  countRatedPages,
  listPageRatings,
  type PageRatings,
} from '../../../store/sites/page-feedback.ts'
import { SitePath } from '../schema.ts'
import { FeedbackQuery, SitePageFeedbacks } from './schema.ts'

export const listSitePageFeedback = endpoint({
  operationId: 'listSitePageFeedback',
  summary: 'List what readers of a site answered to "Was this page helpful?"',
  description:
    'For admins of the site: the pages with answers, by site space and page, while the customization enables feedback or did so before. Nothing about a reader is stored beyond the day.',
  params: SitePath,
  query: FeedbackQuery,
  reply: SitePageFeedbacks,
  access: site('admin'),
  handle: async ({ ctx, site: { id: siteId }, query: { from, to, ...query } }) => {
    const filter = { siteId, from, to }
    const page = await pageOf(
      ctx,
      `page feedback ${siteId} ${from ?? ''} ${to ?? ''}`,
      query,
      (limit, after: [string, string] | undefined) =>
        listPageRatings(ctx.store, filter, limit, after),
      (row): [string, string] => [row.site_space_id, row.page_id],
    )

    return { ...envelope(page, page.rows.map(present)), count: countRatedPages(ctx.store, filter) }
  },
})

const present = ({ site_space_id: siteSpace, page_id: page, yes, partly, no }: PageRatings) => ({
  object: 'site-page-feedback' as const,
  siteSpace,
  page,
  ratings: { yes, partly, no },
})
