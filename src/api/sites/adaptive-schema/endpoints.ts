import type { z } from 'zod'
import { site } from '../../../access/guards/site.ts'
import { recordSiteEvent } from '../../../actions/sites/record-site-event.ts'
import { type ClaimsSchema, checkClaimsSchema } from '../../../content/site/claims-schema.ts'
import { templateConditions } from '../../../content/site/template-conditions.ts'
import { Fault } from '../../../errors.ts'
import { endpoint, inTransaction } from '../../../http/endpoint.ts'
import { findSiteSchema, putSiteSchema } from '../../../store/sites/site-schemas.ts'
import type { SiteSchemaRow } from '../../../store/tables/rows.ts'
import { SitePath } from '../schema.ts'
import { AdaptiveSchema, AdaptiveSchemaBody, TemplateConditions } from './schema.ts'

const present = ({ json_schema, updated_at }: SiteSchemaRow): z.input<typeof AdaptiveSchema> => ({
  object: 'site-adaptive-schema',
  jsonSchema: json_schema,
  updatedAt: updated_at,
})

export const getSiteAdaptiveSchema = endpoint({
  operationId: 'getSiteAdaptiveSchema',
  summary: 'Get the adaptive schema of a site',
  description:
    'Returns the schema of the claims that visitor tokens can carry and that conditions can use. The answer is a 404 if the site has no schema.',
  params: SitePath,
  reply: AdaptiveSchema,
  access: site('read'),
  handle: ({ ctx, site: { id } }) => {
    const row = findSiteSchema(ctx.store, id)
    if (!row) throw new Fault('not_found', 'The site has no adaptive schema.')
    return present(row)
  },
})

export const updateSiteAdaptiveSchema = endpoint({
  operationId: 'updateSiteAdaptiveSchema',
  summary: 'Set the adaptive schema of a site',
  description:
    'Sets the claims of visitors that expressions can read, in a subset of JSON Schema. Claims that are not in the schema are ignored. The schema takes effect immediately, also for visitors who already have a token. Requires the role "create" on the site.',
  params: SitePath,
  body: AdaptiveSchemaBody,
  reply: AdaptiveSchema,
  access: site('create'),
  handle: ({ ctx, body, by }) => {
    checkClaimsSchema(body.jsonSchema)
    return inTransaction(({ site: row }) => {
      const set = {
        site_id: row.id,
        json_schema: body.jsonSchema,
        updated_at: ctx.now().toISOString(),
      }

      putSiteSchema(ctx.store, set)
      recordSiteEvent(ctx, row, 'site.schema_updated', by)

      return present(set)
    })
  },
})

export const listSiteAdaptiveTemplateConditions = endpoint({
  operationId: 'listSiteAdaptiveTemplateConditions',
  summary: 'List conditions that the adaptive schema of a site suggests',
  description:
    'Returns conditions to choose from: one for each boolean claim, and one for each value of an enumeration, up to 500. A negated condition, such as `!visitor.claims.beta`, is also true for readers without claims.',
  params: SitePath,
  reply: TemplateConditions,
  access: site('read'),
  handle: ({ ctx, site: { id } }) => {
    const row = findSiteSchema(ctx.store, id)
    return { items: row ? templateConditions(row.json_schema as ClaimsSchema) : [] }
  },
})
