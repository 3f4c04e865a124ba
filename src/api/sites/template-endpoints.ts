import { z } from 'zod'
import { site } from '../../access/guards/site.ts'
import { applySiteTemplate } from '../../actions/spaces/apply-site-template.ts'
import { endpoint } from '../../http/endpoint.ts'
import { findSite } from '../../store/sites/sites.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import { loadSite } from './load.ts'
import { Site, SitePath } from './schema.ts'

const TemplateBody = z.strictObject({
  templates: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(10)
    .refine(ids => new Set(ids).size === ids.length, 'takes each template once')
    .optional()
    .meta({
      description:
        'The ids of templates of `GET /templates`, one for each space. Default: `product-docs`, `api-reference` and `changelog`.',
    }),
})

export const applyTemplateToSite = endpoint({
  operationId: 'applyTemplateToSite',
  summary: 'Fill an empty site with spaces from templates',
  description:
    'Makes a space from each template, with the pages of the template as its first commit, and shows it on the site: in a section of its own if there are several. All or nothing, also when the server is killed. Only for a site without spaces, sections, groups and links: otherwise the answer is a 409, and nothing is written. Needs the role "create" on the site and in the organization.',
  params: SitePath,
  body: TemplateBody,
  bodyOptional: true,
  reply: Site,
  access: site('create'),
  handle: async ({ ctx, site: row, user, role, body, request }) => {
    const { templates } = body
    await applySiteTemplate(
      ctx,
      { site: row, templates, user },
      request.idempotency,
      request.origin,
    )
    return loadSite(ctx, findSite(ctx.store, row.id) as SiteRow, user, role)
  },
})
