import { routes } from '../../http/endpoint.ts'
import * as adaptiveSchema from '../sites/adaptive-schema/endpoints.ts'
import * as published from '../sites/published/endpoints.ts'
import { getSitePublishingPreviewById } from '../sites/published/preview.ts'
import * as visitorAuth from '../sites/visitor-auth/endpoints.ts'

/** The audience of sites: their claims, and how visitors sign in. */
export const audienceRoutes = routes({
  'GET /orgs/:organizationId/sites/:siteId/adaptive-schema': adaptiveSchema.getSiteAdaptiveSchema,
  'PUT /orgs/:organizationId/sites/:siteId/adaptive-schema':
    adaptiveSchema.updateSiteAdaptiveSchema,
  'GET /orgs/:organizationId/sites/:siteId/adaptive-schema/template-conditions':
    adaptiveSchema.listSiteAdaptiveTemplateConditions,
  'GET /orgs/:organizationId/sites/:siteId/publishing/auth': visitorAuth.getSitePublishingAuthById,
  'PATCH /orgs/:organizationId/sites/:siteId/publishing/auth':
    visitorAuth.updateSitePublishingAuthById,
  'POST /orgs/:organizationId/sites/:siteId/publishing/auth/regenerate':
    visitorAuth.regenerateSitePublishingAuthById,
  'GET /orgs/:organizationId/sites/:siteId/publishing/preview': getSitePublishingPreviewById,
  'POST /urls/published': published.resolvePublishedContentByUrl,
  'GET /urls/published': published.getPublishedContentByUrl,
})
