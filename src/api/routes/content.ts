import { routes } from '../../http/endpoint.ts'
import * as contentEdits from '../content/content-edits/endpoints.ts'
import * as imports from '../content/imports/endpoints.ts'
import * as changeRequestContent from '../content/reading/change-request-endpoints.ts'
import * as content from '../content/reading/endpoints.ts'
import * as uploads from '../content/uploads/endpoints.ts'
import * as templates from '../spaces/templates/endpoints.ts'

/** Content of spaces and change requests. */
export const contentRoutes = routes({
  // Content of a space
  'GET /spaces/:spaceId/content': content.getCurrentRevision,
  'POST /spaces/:spaceId/content': contentEdits.updateContent,
  'GET /spaces/:spaceId/content/pages': content.listPages,
  'GET /spaces/:spaceId/content/files': content.listFiles,
  'GET /spaces/:spaceId/content/files/:fileId': content.getFileById,
  'GET /spaces/:spaceId/content/page/:pageId': content.getPageById,
  'GET /spaces/:spaceId/content/path/*pagePath': content.getPageByPath,
  'GET /spaces/:spaceId/content/reusable-contents/:reusableContentId':
    content.getReusableContentById,
  'POST /spaces/:spaceId/content/template': templates.applyTemplateToSpace,

  'POST /orgs/:organizationId/storage/upload': uploads.generateStorageUploadURL,

  // Files that become pages
  'GET /org/:organizationId/imports': imports.listImportRuns,
  'POST /org/:organizationId/imports': imports.startImportRun,
  'GET /org/:organizationId/imports/:importRunId': imports.getImportRun,
  'POST /org/:organizationId/imports/:importRunId/cancel': imports.cancelImportRun,

  // Content of a change request
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content':
    changeRequestContent.getRevisionOfChangeRequestById,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/content':
    contentEdits.updateChangeRequestContent,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/pages':
    changeRequestContent.listPagesInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/files':
    changeRequestContent.listFilesInChangeRequestById,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/files/:fileId':
    changeRequestContent.getFileInChangeRequestById,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/page/:pageId':
    changeRequestContent.getPageInChangeRequestById,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/path/*pagePath':
    changeRequestContent.getPageInChangeRequestByPath,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/reusable-contents/:reusableContentId':
    changeRequestContent.getReusableContentInChangeRequestById,
})
