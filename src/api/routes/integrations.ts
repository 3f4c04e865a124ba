import { routes } from '../../http/endpoint.ts'
import * as integrations from '../sites/integrations/endpoints.ts'
import * as installations from '../sites/integrations/installation-endpoints.ts'
import { listSiteIntegrationScripts } from '../sites/integrations/scripts.ts'
import * as onSites from '../sites/integrations/site-endpoints.ts'

/** Integrations, and their installations on organizations and sites. */
export const integrationsRoutes = routes({
  'GET /integrations': integrations.listIntegrations,
  'GET /integrations/:integrationName': integrations.getIntegrationByName,
  'POST /integrations/:integrationName': integrations.publishIntegration,
  'DELETE /integrations/:integrationName': integrations.unpublishIntegration,
  'POST /integrations/:integrationName/secret': integrations.createIntegrationSecret,
  'GET /orgs/:organizationId/integrations': integrations.listOrganizationIntegrations,
  'GET /orgs/:organizationId/installations': installations.listOrganizationInstallations,
  'POST /integrations/:integrationName/installations': installations.installIntegration,
  'GET /integrations/:integrationName/installations/:installationId':
    installations.getIntegrationInstallationById,
  'PATCH /integrations/:integrationName/installations/:installationId':
    installations.updateIntegrationInstallation,
  'DELETE /integrations/:integrationName/installations/:installationId':
    installations.uninstallIntegration,
  'POST /integrations/:integrationName/installations/:installationId/tokens':
    installations.createIntegrationInstallationToken,
  'POST /integrations/:integrationName/installations/:installationId/sites':
    onSites.installIntegrationOnSite,
  'GET /integrations/:integrationName/installations/:installationId/sites':
    onSites.listIntegrationInstallationSites,
  'GET /integrations/:integrationName/installations/:installationId/sites/:siteId':
    onSites.getIntegrationSiteInstallation,
  'PATCH /integrations/:integrationName/installations/:installationId/sites/:siteId':
    onSites.updateIntegrationSiteInstallation,
  'DELETE /integrations/:integrationName/installations/:installationId/sites/:siteId':
    onSites.uninstallIntegrationFromSite,
  'GET /orgs/:organizationId/sites/:siteId/integrations': onSites.listSiteIntegrations,
  'GET /orgs/:organizationId/sites/:siteId/integration-scripts': listSiteIntegrationScripts,
})
