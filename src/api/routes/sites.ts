import { routes } from '../../http/endpoint.ts'
import * as sites from '../sites/endpoints.ts'

/** Sites: publishing spaces to readers. */
export const sitesRoutes = routes({
  // Sites
  'GET /orgs/:organizationId/sites': sites.listSites,
  'POST /orgs/:organizationId/sites': sites.createSite,
  'GET /orgs/:organizationId/sites/:siteId': sites.getSiteById,
})
