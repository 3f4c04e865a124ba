import { z } from 'zod'
import { site } from '../../access/guards/site.ts'
import { publishSite, unpublishSite } from '../../actions/sites/publish-site.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { form } from '../frame/page.ts'
import { shownOn } from './paths.ts'

/** Publishes a site, or ends its publication. */
export const publishOrNot = form({
  path: '/sites/:organizationId/:siteId/publish',
  scope: 'sites:admin',
  access: site('admin'),
  body: z.object({ do: z.enum(['publish', 'unpublish']) }),
  shownOn,
  act: ({ ctx, by, params, body }) =>
    inTransaction(({ site: row }) => {
      const publishes = body.do === 'publish'
      if (publishes && !row.published) publishSite(ctx, row, by)
      if (!publishes && row.published) unpublishSite(ctx, row, by)
      const notice = publishes
        ? 'The site is published.'
        : 'The site is no longer published: readers cannot open it.'
      return { to: shownOn(params), notice }
    }),
})
