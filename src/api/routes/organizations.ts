import { routes } from '../../http/endpoint.ts'
import * as organizations from '../base/organizations/endpoints.ts'
import * as tokens from '../people/tokens/endpoints.ts'

/** Organizations and the tokens that reach them. */
export const organizationsRoutes = routes({
  'GET /orgs': organizations.listOrganizationsForAuthenticatedUser,
  'POST /orgs': organizations.createOrganization,
  'GET /email-domains/:emailDomain/orgs': organizations.getOrganizationsForEmailDomain,
  'GET /orgs/:organizationId': organizations.getOrganizationById,
  'PATCH /orgs/:organizationId': organizations.updateOrganizationById,
  'GET /orgs/:organizationId/tokens': tokens.listOrganizationTokens,
  'DELETE /orgs/:organizationId/tokens/:tokenId': tokens.deleteOrganizationToken,
})
