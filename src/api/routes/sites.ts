import { routes } from '../../http/endpoint.ts'
import * as customization from '../customization/endpoints.ts'
import * as shareLinks from '../share-links/endpoints.ts'
import * as sites from '../sites/endpoints.ts'
import * as siteLife from '../sites/life-endpoints.ts'

/** Sites: publishing spaces to readers. */
export const sitesRoutes = routes({
  // Sites
  'GET /orgs/:organizationId/sites': sites.listSites,
  'POST /orgs/:organizationId/sites': sites.createSite,
  'GET /orgs/:organizationId/sites/:siteId': sites.getSiteById,
  'PATCH /orgs/:organizationId/sites/:siteId': siteLife.updateSiteById,
  'DELETE /orgs/:organizationId/sites/:siteId': siteLife.deleteSiteById,
  'POST /orgs/:organizationId/sites/:siteId/publish': siteLife.publishSite,
  'POST /orgs/:organizationId/sites/:siteId/unpublish': siteLife.unpublishSite,

  // Audience
  'GET /orgs/:organizationId/sites/:siteId/share-links': shareLinks.listSiteShareLinks,
  'POST /orgs/:organizationId/sites/:siteId/share-links': shareLinks.createSiteShareLink,
  'PATCH /orgs/:organizationId/sites/:siteId/share-links/:shareLinkId': shareLinks.updateSiteShareLinkById,
  'DELETE /orgs/:organizationId/sites/:siteId/share-links/:shareLinkId': shareLinks.deleteSiteShareLinkById,

  // Customization
  'GET /orgs/:organizationId/sites/:siteId/customization': customization.getSiteCustomizationById,
  'PUT /orgs/:organizationId/sites/:siteId/customization': customization.updateSiteCustomizationById,
  'GET /orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization':
    customization.getSiteSpaceCustomizationById,
  'PATCH /orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization':
    customization.overrideSiteSpaceCustomizationById,
  'DELETE /orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization':
    customization.deleteSiteSpaceCustomizationById,
})
