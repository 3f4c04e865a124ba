import { routes } from '../http/endpoint.ts'
import { auditRoutes } from './audit/routes.ts'
import * as changes from './change-requests/changes-endpoints.ts'
import * as changeRequests from './change-requests/endpoints.ts'
import { listChangeRequestsForOrganization } from './change-requests/organization-endpoints.ts'
import * as collections from './collections/endpoints.ts'
import { commentRoutes } from './comments/routes.ts'
import * as changeRequestContent from './content/change-request-endpoints.ts'
import * as content from './content/endpoints.ts'
import * as contentEdits from './content-edits/endpoints.ts'
import * as git from './git/endpoints.ts'
import { memberRoutes } from './members/routes.ts'
import * as organizations from './organizations/endpoints.ts'
import { permissionRoutes } from './permissions/routes.ts'
import { reviewRoutes } from './reviews/routes.ts'
import * as revisions from './revisions/endpoints.ts'
import * as spaces from './spaces/endpoints.ts'
import { getApiInformation } from './system/information.ts'
import { teamRoutes } from './teams/routes.ts'
import * as users from './users/endpoints.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** Every operation below `/v1`, in reading order. */
const tables = routes({
  // The service
  'GET /': getApiInformation,

  // Users and their tokens
  'GET /user': users.getAuthenticatedUser,
  'GET /user/tokens': users.listUserTokens,
  'POST /user/tokens': users.createUserToken,
  'DELETE /user/tokens/:tokenId': users.deleteUserToken,
  'GET /users/:userId': users.getUserById,
  'PATCH /users/:userId': users.updateUserById,

  // Organizations
  'GET /orgs': organizations.listOrganizationsForAuthenticatedUser,
  'GET /orgs/:organizationId': organizations.getOrganizationById,
  'PATCH /orgs/:organizationId': organizations.updateOrganizationById,

  // Collections
  'GET /orgs/:organizationId/collections': collections.listCollectionsInOrganizationById,
  'POST /orgs/:organizationId/collections': collections.createCollection,
  'GET /collections/:collectionId': collections.getCollectionById,
  'PATCH /collections/:collectionId': collections.updateCollectionById,
  'DELETE /collections/:collectionId': collections.deleteCollectionById,
  'GET /collections/:collectionId/spaces': collections.listSpacesInCollectionById,
  'POST /collections/:collectionId/move': collections.moveCollection,
  'POST /collections/:collectionId/transfer': collections.transferCollection,

  // Spaces
  'GET /orgs/:organizationId/spaces': spaces.listSpacesInOrganizationById,
  'POST /orgs/:organizationId/spaces': spaces.createSpace,
  'GET /spaces/:spaceId': spaces.getSpaceById,
  'PATCH /spaces/:spaceId': spaces.updateSpaceById,
  'DELETE /spaces/:spaceId': spaces.deleteSpaceById,
  'POST /spaces/:spaceId/duplicate': spaces.duplicateSpace,
  'POST /spaces/:spaceId/restore': spaces.restoreSpace,
  'POST /spaces/:spaceId/move': spaces.moveSpace,
  'POST /spaces/:spaceId/transfer': spaces.transferSpace,

  // Content of a space
  'GET /spaces/:spaceId/content': content.getCurrentRevision,
  'POST /spaces/:spaceId/content': contentEdits.updateContent,
  'GET /spaces/:spaceId/content/pages': content.listPages,
  'GET /spaces/:spaceId/content/files': content.listFiles,
  'GET /spaces/:spaceId/content/files/:fileId': content.getFileById,
  'GET /spaces/:spaceId/content/page/:pageId': content.getPageById,
  'GET /spaces/:spaceId/content/path/*pagePath': content.getPageByPath,
  'GET /spaces/:spaceId/content/reusable-contents/:reusableContentId': content.getReusableContentById,

  // Content of a change request
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content':
    changeRequestContent.getRevisionOfChangeRequestById,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/content': contentEdits.updateChangeRequestContent,
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

  // Revisions
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

  // Change requests
  'GET /orgs/:organizationId/change-requests': listChangeRequestsForOrganization,
  'GET /spaces/:spaceId/change-requests': changeRequests.listChangeRequestsForSpace,
  'POST /spaces/:spaceId/change-requests': changeRequests.createChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId': changeRequests.getChangeRequestById,
  'PATCH /spaces/:spaceId/change-requests/:changeRequestId': changeRequests.updateChangeRequestById,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/merge': changeRequests.mergeChangeRequest,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/update': changeRequests.updateChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/contributors':
    changeRequests.getContributorsByChangeRequestId,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/changes': changes.getChangeRequestChanges,

  // Git sync
  'POST /spaces/:spaceId/git/import': git.importGitRepository,
  'POST /spaces/:spaceId/git/export': git.exportToGitRepository,
  'GET /spaces/:spaceId/git/info': git.getSpaceGitInfo,
  'DELETE /spaces/:spaceId/git/legacy-installation': git.deleteLegacyGitInstallation,
  'GET /spaces/:spaceId/git/operations': git.listGitOperations,
  'GET /spaces/:spaceId/git/operations/:operationId': git.getGitOperation,
})

export const api = {
  ...tables,
  ...memberRoutes,
  ...teamRoutes,
  ...permissionRoutes,
  ...commentRoutes,
  ...reviewRoutes,
  ...auditRoutes,
  ...webhookRoutes,
}
