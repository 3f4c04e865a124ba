import { routes } from '../../http/endpoint.ts'
import * as findings from '../content/findings/endpoints.ts'
import * as contentLinks from '../content/links/endpoints.ts'
import * as metaLinks from '../content/meta-links/endpoints.ts'
import * as pdf from '../content/pdf/endpoints.ts'
import * as search from '../content/search/endpoints.ts'
import * as templates from '../spaces/templates/endpoints.ts'

/** Search, links, findings, PDFs and templates. */
export const searchAndLinksRoutes = routes({
  'GET /spaces/:spaceId/search': search.searchSpaceContent,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/search': search.searchChangeRequestContent,
  'GET /spaces/:spaceId/revisions/:revisionId/search': search.searchRevisionContent,
  'GET /orgs/:organizationId/search': search.searchOrganizationContent,
  'GET /spaces/:spaceId/links': contentLinks.listSpaceLinks,
  'GET /spaces/:spaceId/content/page/:pageId/links': contentLinks.listPageLinksInSpace,
  'GET /spaces/:spaceId/content/page/:pageId/backlinks': contentLinks.listSpacePageBacklinks,
  'GET /spaces/:spaceId/content/files/:fileId/backlinks': contentLinks.listSpaceFileBacklinks,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/links':
    contentLinks.listChangeRequestLinks,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/page/:pageId/links':
    contentLinks.listPageLinksInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/page/:pageId/backlinks':
    contentLinks.listChangeRequestPageBacklinks,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/files/:fileId/backlinks':
    contentLinks.listChangeRequestFileBacklinks,
  'GET /spaces/:spaceId/revisions/:revisionId/links': contentLinks.listRevisionLinks,
  'GET /spaces/:spaceId/revisions/:revisionId/page/:pageId/links':
    contentLinks.listPageLinksInRevision,
  'GET /spaces/:spaceId/revisions/:revisionId/page/:pageId/backlinks':
    contentLinks.listRevisionPageBacklinks,
  'GET /spaces/:spaceId/revisions/:revisionId/files/:fileId/backlinks':
    contentLinks.listRevisionFileBacklinks,
  'GET /spaces/:spaceId/content/page/:pageId/meta-links': metaLinks.listSpacePageMetaLinks,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/page/:pageId/meta-links':
    metaLinks.listChangeRequestPageMetaLinks,
  'GET /spaces/:spaceId/revisions/:revisionId/page/:pageId/meta-links':
    metaLinks.listRevisionPageMetaLinks,
  'GET /spaces/:spaceId/content/findings': findings.listSpaceFindings,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/findings':
    findings.listChangeRequestFindings,
  'GET /spaces/:spaceId/revisions/:revisionId/content/findings': findings.listRevisionFindings,
  'GET /spaces/:spaceId/pdf': pdf.getSpacePDF,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/pdf': pdf.getChangeRequestPDF,
  'GET /spaces/:spaceId/revisions/:revisionId/pdf': pdf.getRevisionPDF,
  'GET /templates': templates.listTemplates,
})
