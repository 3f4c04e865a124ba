import { routes } from '../../http/endpoint.ts'
import * as changes from '../change-requests/changes-endpoints.ts'
import * as revisions from '../revisions/endpoints.ts'

/** Revisions of spaces. */
export const revisionsRoutes = routes({
  'GET /spaces/:spaceId/revisions': revisions.listRevisionsOfSpace,
  'GET /spaces/:spaceId/revisions/:revisionId': revisions.getRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/pages': revisions.listPagesInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/files': revisions.listFilesInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/files/:fileId': revisions.getFileInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/page/:pageId': revisions.getPageInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/path/*pagePath': revisions.getPageInRevisionByPath,
  'GET /spaces/:spaceId/revisions/:revisionId/reusable-contents/:reusableContentId':
    revisions.getReusableContentInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/changes': changes.getRevisionSemanticChanges,
})
