import { routes } from '../../http/endpoint.ts'
import * as specs from '../sites/openapi/endpoints.ts'
import * as specVersions from '../sites/openapi/version-endpoints.ts'

/** OpenAPI specs of an organization. */
export const openapiRoutes = routes({
  'GET /orgs/:organizationId/openapi': specs.listOpenAPISpecs,
  'POST /orgs/:organizationId/openapi': specs.createOpenAPISpec,
  'GET /orgs/:organizationId/openapi/:specSlug': specs.getOpenAPISpecBySlug,
  'PUT /orgs/:organizationId/openapi/:specSlug': specs.createOrUpdateOpenAPISpecBySlug,
  'PATCH /orgs/:organizationId/openapi/:specSlug': specs.updateOpenAPISpecBySlug,
  'DELETE /orgs/:organizationId/openapi/:specSlug': specs.deleteOpenAPISpecBySlug,
  'GET /orgs/:organizationId/openapi/:specSlug/versions': specVersions.listOpenAPISpecVersions,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/latest':
    specVersions.getLatestOpenAPISpecVersion,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/latest/content':
    specVersions.getLatestOpenAPISpecVersionContent,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/latest/content/raw':
    specVersions.getLatestOpenAPISpecVersionRaw,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/:versionId':
    specVersions.getOpenAPISpecVersionById,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/:versionId/content':
    specVersions.getOpenAPISpecVersionContentById,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/:versionId/content/raw':
    specVersions.getOpenAPISpecVersionRawById,
})
