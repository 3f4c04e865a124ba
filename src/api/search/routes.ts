import { routes } from '../../http/endpoint.ts'
import { searchChangeRequestContent, searchOrganizationContent, searchSpaceContent } from './endpoints.ts'

export const searchRoutes = routes({
  'GET /spaces/:spaceId/search': searchSpaceContent,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/search': searchChangeRequestContent,
  'GET /orgs/:organizationId/search': searchOrganizationContent,
})
