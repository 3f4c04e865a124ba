import { routes } from '../http/endpoint.ts'
import * as git from './git/endpoints.ts'
import * as users from './users/endpoints.ts'

/** Every operation below `/v1`, in reading order. */
export const api = routes({
  // The service

  // Users and their tokens
  'GET /user': users.getAuthenticatedUser,

  // Organizations

  // Collections

  // Spaces

  // Content of a space

  // Content of a change request

  // Revisions

  // Change requests

  // Git sync
  'POST /spaces/:spaceId/git/import': git.importGitRepository,
  'POST /spaces/:spaceId/git/export': git.exportToGitRepository,
  'GET /spaces/:spaceId/git/info': git.getSpaceGitInfo,
  'DELETE /spaces/:spaceId/git/legacy-installation': git.deleteLegacyGitInstallation,
  'GET /spaces/:spaceId/git/operations': git.listGitOperations,
  'GET /spaces/:spaceId/git/operations/:operationId': git.getGitOperation,
})
