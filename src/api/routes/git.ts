import { routes } from '../../http/endpoint.ts'
import * as git from '../spaces/git/endpoints.ts'

/** Imports from and exports to remote Git repositories. */
export const gitRoutes = routes({
  'POST /spaces/:spaceId/git/import': git.importGitRepository,
  'POST /spaces/:spaceId/git/folder': git.importFolderFiles,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/git/folder':
    git.importFolderIntoChangeRequest,
  'POST /spaces/:spaceId/git/export': git.exportToGitRepository,
  'GET /spaces/:spaceId/git/info': git.getSpaceGitInfo,
  'DELETE /spaces/:spaceId/git/legacy-installation': git.deleteLegacyGitInstallation,
  'GET /spaces/:spaceId/git/operations': git.listGitOperations,
  'GET /spaces/:spaceId/git/operations/:operationId': git.getGitOperation,
})
