import { routes } from '../../http/endpoint.ts'
import * as specs from './endpoints.ts'
import * as versions from './version-endpoints.ts'

export const openapiRoutes = routes({
  'GET /orgs/:organizationId/openapi': specs.listOpenAPISpecs,
  'POST /orgs/:organizationId/openapi': specs.createOpenAPISpec,
  'GET /orgs/:organizationId/openapi/:specSlug': specs.getOpenAPISpecBySlug,
  'PUT /orgs/:organizationId/openapi/:specSlug': specs.createOrUpdateOpenAPISpecBySlug,
  'PATCH /orgs/:organizationId/openapi/:specSlug': specs.updateOpenAPISpecBySlug,
  'DELETE /orgs/:organizationId/openapi/:specSlug': specs.deleteOpenAPISpecBySlug,
  'GET /orgs/:organizationId/openapi/:specSlug/versions': versions.listOpenAPISpecVersions,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/latest': versions.getLatestOpenAPISpecVersion,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/latest/content':
    versions.getLatestOpenAPISpecVersionContent,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/latest/content/raw':
    versions.getLatestOpenAPISpecVersionRaw,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/:versionId': versions.getOpenAPISpecVersionById,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/:versionId/content':
    versions.getOpenAPISpecVersionContentById,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/:versionId/content/raw':
    versions.getOpenAPISpecVersionRawById,
})
