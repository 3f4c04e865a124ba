import { routes } from '../../http/endpoint.ts'
import { listPreviewLinksOfSite } from '../content/change-requests/preview-links/endpoints.ts'
import * as search from '../content/search/site-endpoints.ts'
import * as customization from '../sites/customization/endpoints.ts'
import * as sites from '../sites/endpoints.ts'
import * as insights from '../sites/insights/endpoints.ts'
import * as siteLife from '../sites/life-endpoints.ts'
import * as siteNames from '../sites/name-endpoints.ts'
import * as permissions from '../sites/permissions/endpoints.ts'
import * as published from '../sites/published/profile-endpoint.ts'
import * as redirects from '../sites/redirects/endpoints.ts'
import * as shareLinks from '../sites/share-links/endpoints.ts'
import * as feedback from '../sites/site-feedback/endpoints.ts'
import * as externalLinks from '../sites/site-structure/external-link-endpoints.ts'
import * as sections from '../sites/site-structure/section-endpoints.ts'
import * as groups from '../sites/site-structure/section-group-endpoints.ts'
import * as siteSpaces from '../sites/site-structure/site-space-endpoints.ts'
import * as structure from '../sites/site-structure/structure-endpoints.ts'
import * as templates from '../sites/template-endpoints.ts'

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
  'POST /orgs/:organizationId/sites/:siteId/template': templates.applyTemplateToSite,
  'GET /subdomains/:subdomain': siteNames.getSubdomain,
  'GET /custom-hostnames/:hostname': siteNames.getCustomHostname,
  'PATCH /custom-hostnames/:hostname': siteNames.dnsRevalidateCustomHostname,
  'DELETE /custom-hostnames/:hostname': siteNames.removeCustomHostname,

  // Permissions
  'POST /orgs/:organizationId/sites/:siteId/permissions': permissions.inviteToSite,
  'GET /orgs/:organizationId/sites/:siteId/permissions/aggregate':
    permissions.listPermissionsAggregateInSite,
  'GET /orgs/:organizationId/sites/:siteId/permissions/users':
    permissions.listUserPermissionsInSite,
  'PATCH /orgs/:organizationId/sites/:siteId/permissions/users/:userId':
    permissions.updateUserPermissionInSite,
  'DELETE /orgs/:organizationId/sites/:siteId/permissions/users/:userId':
    permissions.removeUserFromSite,
  'GET /orgs/:organizationId/sites/:siteId/permissions/teams':
    permissions.listTeamPermissionsInSite,
  'PATCH /orgs/:organizationId/sites/:siteId/permissions/teams/:teamId':
    permissions.updateTeamPermissionInSite,
  'DELETE /orgs/:organizationId/sites/:siteId/permissions/teams/:teamId':
    permissions.removeTeamFromSite,

  // Reading
  'GET /orgs/:organizationId/sites/:siteId/published': published.getPublishedContentSite,

  // Redirects and search
  'GET /orgs/:organizationId/sites/:siteId/redirects': redirects.listSiteRedirects,
  'POST /orgs/:organizationId/sites/:siteId/redirects': redirects.createSiteRedirect,
  'PUT /orgs/:organizationId/sites/:siteId/redirects': redirects.bulkUpsertSiteRedirects,
  'PATCH /orgs/:organizationId/sites/:siteId/redirects/:siteRedirectId':
    redirects.updateSiteRedirectById,
  'DELETE /orgs/:organizationId/sites/:siteId/redirects/:siteRedirectId':
    redirects.deleteSiteRedirectById,
  'GET /orgs/:organizationId/sites/:siteId/redirect': redirects.getSiteRedirectBySource,
  'POST /orgs/:organizationId/sites/:siteId/search': search.searchSiteContent,

  // Audience
  'GET /orgs/:organizationId/sites/:siteId/feedback': feedback.listSitePageFeedback,
  'POST /orgs/:organizationId/sites/:siteId/insights/events': insights.trackEventsInSiteById,
  'POST /orgs/:organizationId/sites/:siteId/insights/events/aggregate':
    insights.aggregateSiteEvents,
  'GET /orgs/:organizationId/sites/:siteId/share-links': shareLinks.listSiteShareLinks,
  'POST /orgs/:organizationId/sites/:siteId/share-links': shareLinks.createSiteShareLink,
  'PATCH /orgs/:organizationId/sites/:siteId/share-links/:shareLinkId':
    shareLinks.updateSiteShareLinkById,
  'DELETE /orgs/:organizationId/sites/:siteId/share-links/:shareLinkId':
    shareLinks.deleteSiteShareLinkById,
  'GET /orgs/:organizationId/sites/:siteId/preview-links': listPreviewLinksOfSite,

  // Customization
  'GET /orgs/:organizationId/sites/:siteId/customization': customization.getSiteCustomizationById,
  'PUT /orgs/:organizationId/sites/:siteId/customization':
    customization.updateSiteCustomizationById,
  'GET /orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization':
    customization.getSiteSpaceCustomizationById,
  'PATCH /orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization':
    customization.overrideSiteSpaceCustomizationById,
  'DELETE /orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization':
    customization.deleteSiteSpaceCustomizationById,

  // Structure of sites
  'GET /orgs/:organizationId/sites/:siteId/structure': structure.getSiteStructure,
  'PATCH /orgs/:organizationId/sites/:siteId/structure/sort': structure.sortSiteStructure,
  'GET /orgs/:organizationId/sites/:siteId/sections': sections.listSiteSections,
  'POST /orgs/:organizationId/sites/:siteId/sections': sections.addSectionToSite,
  'PATCH /orgs/:organizationId/sites/:siteId/sections/:siteSectionId':
    sections.updateSiteSectionById,
  'DELETE /orgs/:organizationId/sites/:siteId/sections/:siteSectionId':
    sections.deleteSiteSectionById,
  'POST /orgs/:organizationId/sites/:siteId/sections/:siteSectionId/move': sections.moveSiteSection,
  'GET /orgs/:organizationId/sites/:siteId/section-groups': groups.listSiteSectionGroups,
  'POST /orgs/:organizationId/sites/:siteId/section-groups': groups.addSectionGroupToSite,
  'PATCH /orgs/:organizationId/sites/:siteId/section-groups/:siteSectionGroupId':
    groups.updateSiteSectionGroupById,
  'DELETE /orgs/:organizationId/sites/:siteId/section-groups/:siteSectionGroupId':
    groups.deleteSiteSectionGroupById,
  'POST /orgs/:organizationId/sites/:siteId/section-groups/:siteSectionGroupId/move':
    groups.moveSiteSectionGroup,
  'POST /orgs/:organizationId/sites/:siteId/section-groups/:siteSectionGroupId/sections':
    groups.addSectionToGroup,
  'DELETE /orgs/:organizationId/sites/:siteId/section-groups/:siteSectionGroupId/sections/:siteSectionId':
    groups.removeSectionFromGroup,
  'POST /orgs/:organizationId/sites/:siteId/external-links': externalLinks.addExternalLinkToSite,
  'PATCH /orgs/:organizationId/sites/:siteId/external-links/:siteExternalLinkId':
    externalLinks.updateSiteExternalLinkById,
  'DELETE /orgs/:organizationId/sites/:siteId/external-links/:siteExternalLinkId':
    externalLinks.deleteSiteExternalLinkById,
  'GET /orgs/:organizationId/sites/:siteId/site-spaces': siteSpaces.listSiteSpaces,
  'POST /orgs/:organizationId/sites/:siteId/site-spaces': siteSpaces.addSpaceToSite,
  'PATCH /orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId':
    siteSpaces.updateSiteSpaceById,
  'DELETE /orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId':
    siteSpaces.deleteSiteSpaceById,
  'POST /orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/duplicate':
    siteSpaces.duplicateSiteSpace,
  'POST /orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/move':
    siteSpaces.moveSiteSpace,
})
