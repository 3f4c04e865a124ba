import { routes } from '../../http/endpoint.ts'
import * as changes from '../content/change-requests/changes-endpoints.ts'
import * as reading from '../content/reading/revision-endpoints.ts'
import * as revisions from '../content/revisions/endpoints.ts'

/** Revisions of spaces. */
export const revisionsRoutes = routes({
  'GET /spaces/:spaceId/revisions': revisions.listRevisionsOfSpace,
  'GET /spaces/:spaceId/revisions/:revisionId': reading.getRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/pages': reading.listPagesInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/files': reading.listFilesInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/files/:fileId': reading.getFileInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/page/:pageId': reading.getPageInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/path/*pagePath': reading.getPageInRevisionByPath,
  'GET /spaces/:spaceId/revisions/:revisionId/reusable-contents/:reusableContentId':
    reading.getReusableContentInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/changes': changes.getRevisionSemanticChanges,
})
