import { z } from 'zod'
import { site } from '../../access/guards/site.ts'
import { addExternalLink } from '../../actions/sites/structure/external-links.ts'
import { startEdit } from '../../actions/sites/structure/structure-edit.ts'
import { isWebAddress } from '../../content/site/redirect-source.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { lineOfText } from '../../lib/line-of-text.ts'
import { form } from '../frame/page.ts'
import { shownOn } from './paths.ts'

export const addLink = form({
  path: '/sites/:organizationId/:siteId/external-links',
  scope: 'sites:write',
  access: site('create'),
  body: z.object({
    title: lineOfText(2, 128),
    url: z.string().trim().refine(isWebAddress, 'must be an http or https address'),
    draft: z.string().optional(),
  }),
  shownOn,
  act: ({ ctx, by, params, body: { title, url, draft } }) =>
    inTransaction(granted => {
      const edit = startEdit({ ctx, by, ...granted })
      const set = { title, url: new URL(url).href, draft: Number(draft === 'on') }
      addExternalLink(edit, { ...set, description: null, icon: null, condition: null }, null)
      return { to: `${shownOn(params)}#structure`, notice: 'The link was added.' }
    }),
})
