import { routes } from '../../http/endpoint.ts'
import * as spacePermissions from '../people/permissions/space-endpoints.ts'
import * as spaces from '../spaces/endpoints.ts'

/** Spaces and the permissions on them. */
export const spacesRoutes = routes({
  // Spaces
  'GET /orgs/:organizationId/spaces': spaces.listSpacesInOrganizationById,
  'GET /orgs/:organizationId/deleted-spaces': spaces.listDeletedSpaces,
  'POST /orgs/:organizationId/spaces': spaces.createSpace,
  'GET /spaces/:spaceId': spaces.getSpaceById,
  'PATCH /spaces/:spaceId': spaces.updateSpaceById,
  'DELETE /spaces/:spaceId': spaces.deleteSpaceById,
  'POST /spaces/:spaceId/duplicate': spaces.duplicateSpace,
  'POST /spaces/:spaceId/restore': spaces.restoreSpace,
  'POST /spaces/:spaceId/move': spaces.moveSpace,
  'POST /spaces/:spaceId/transfer': spaces.transferSpace,

  // Permissions on a space
  'POST /spaces/:spaceId/permissions': spacePermissions.inviteToSpace,
  'GET /spaces/:spaceId/permissions/aggregate': spacePermissions.listPermissionsAggregateInSpace,
  'GET /spaces/:spaceId/permissions/users': spacePermissions.listUserPermissionsInSpace,
  'PATCH /spaces/:spaceId/permissions/users/:userId': spacePermissions.updateUserPermissionInSpace,
  'DELETE /spaces/:spaceId/permissions/users/:userId': spacePermissions.removeUserFromSpace,
  'GET /spaces/:spaceId/permissions/teams': spacePermissions.listTeamPermissionsInSpace,
  'PATCH /spaces/:spaceId/permissions/teams/:teamId': spacePermissions.updateTeamPermissionInSpace,
  'DELETE /spaces/:spaceId/permissions/teams/:teamId': spacePermissions.removeTeamFromSpace,
})
