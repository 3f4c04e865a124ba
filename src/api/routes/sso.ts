import { routes } from '../../http/endpoint.ts'
import * as logins from '../people/sso/login-endpoints.ts'
import * as oidc from '../people/sso/oidc-endpoints.ts'
import * as saml from '../people/sso/saml-endpoints.ts'

/**
 * Single sign-on: identity providers, and signing in. The addresses that browsers visit are below
 * `/sso`.
 */
export const ssoRoutes = routes({
  'GET /orgs/:organizationId/saml': saml.listSAMLProvidersInOrganizationById,
  'POST /orgs/:organizationId/saml': saml.createOrganizationSAMLProvider,
  'GET /orgs/:organizationId/saml/:samlProviderId': saml.getOrganizationSAMLProviderById,
  'PATCH /orgs/:organizationId/saml/:samlProviderId': saml.updateOrganizationSAMLProvider,
  'DELETE /orgs/:organizationId/saml/:samlProviderId': saml.deleteOrganizationSAMLProvider,
  'GET /orgs/:organizationId/oidc': oidc.listOidcProviders,
  'POST /orgs/:organizationId/oidc': oidc.createOidcProvider,
  'GET /orgs/:organizationId/oidc/:oidcProviderId': oidc.getOidcProvider,
  'PATCH /orgs/:organizationId/oidc/:oidcProviderId': oidc.updateOidcProvider,
  'DELETE /orgs/:organizationId/oidc/:oidcProviderId': oidc.deleteOidcProvider,
  'GET /orgs/:organizationId/sso': logins.listSSOProviderLoginsInOrganization,
  'POST /sso/token': logins.exchangeSignInCode,
})
