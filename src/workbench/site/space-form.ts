import { z } from 'zod'
import { site } from '../../access/guards/site.ts'
import { pageSegments } from '../../actions/sites/structure/page-segments.ts'
import { checkPlaceable } from '../../actions/sites/structure/place-space.ts'
import { addSection } from '../../actions/sites/structure/sections.ts'
import { addSiteSpace } from '../../actions/sites/structure/site-spaces.ts'
import { startEdit } from '../../actions/sites/structure/structure-edit.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { form } from '../frame/page.ts'
import { shownOn } from './paths.ts'

/** Puts a space on a site: as a variant beside the others, or in a section of its own. */
export const addSpaceToSite = form({
  path: '/sites/:organizationId/:siteId/spaces',
  scope: 'sites:write',
  access: site('create'),
  body: z.object({
    space: z.string().min(1, 'must be chosen').max(100),
    as: z.enum(['variant', 'section']),
    draft: z.string().optional(),
  }),
  shownOn,
  act: async asked => {
    const { ctx, by, me, params, body } = asked
    const avoid = await pageSegments(
      ctx,
      asked.site,
      checkPlaceable(ctx, asked.site, body.space, me.id),
    )

    return inTransaction(granted => {
      const edit = startEdit({ ctx, by, ...granted })
      const space = checkPlaceable(ctx, edit.site, body.space, me.id)
      const draft = body.draft === 'on'
      if (body.as === 'section') addSection(edit, space, { draft }, avoid)
      else addSiteSpace(edit, space, { draft }, avoid)
      return { to: `${shownOn(params)}#structure`, notice: `“${space.title}” is on the site.` }
    })
  },
})
