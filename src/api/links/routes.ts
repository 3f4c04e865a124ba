import { routes } from '../../http/endpoint.ts'
import * as links from './endpoints.ts'

/** What links where. */
export const linksRoutes = routes({
  'GET /spaces/:spaceId/links': links.listSpaceLinks,
  'GET /spaces/:spaceId/content/page/:pageId/links': links.listPageLinksInSpace,
  'GET /spaces/:spaceId/content/page/:pageId/backlinks': links.listSpacePageBacklinks,
  'GET /spaces/:spaceId/content/files/:fileId/backlinks': links.listSpaceFileBacklinks,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/links': links.listChangeRequestLinks,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/page/:pageId/links':
    links.listPageLinksInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/page/:pageId/backlinks':
    links.listChangeRequestPageBacklinks,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/files/:fileId/backlinks':
    links.listChangeRequestFileBacklinks,
})
