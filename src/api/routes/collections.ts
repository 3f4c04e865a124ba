import { routes } from '../../http/endpoint.ts'
import * as collectionPermissions from '../people/permissions/collection-endpoints.ts'
import * as collections from '../spaces/collections/endpoints.ts'

/** Collections and the permissions on them. */
export const collectionsRoutes = routes({
  // Collections
  'GET /orgs/:organizationId/collections': collections.listCollectionsInOrganizationById,
  'POST /orgs/:organizationId/collections': collections.createCollection,
  'GET /collections/:collectionId': collections.getCollectionById,
  'PATCH /collections/:collectionId': collections.updateCollectionById,
  'DELETE /collections/:collectionId': collections.deleteCollectionById,
  'GET /collections/:collectionId/spaces': collections.listSpacesInCollectionById,
  'POST /collections/:collectionId/move': collections.moveCollection,
  'POST /collections/:collectionId/transfer': collections.transferCollection,

  // Permissions on a collection
  'POST /collections/:collectionId/permissions': collectionPermissions.inviteToCollection,
  'GET /collections/:collectionId/permissions/aggregate':
    collectionPermissions.listPermissionsAggregateInCollection,
  'GET /collections/:collectionId/permissions/users':
    collectionPermissions.listUserPermissionsInCollection,
  'PATCH /collections/:collectionId/permissions/users/:userId':
    collectionPermissions.updateUserPermissionInCollection,
  'DELETE /collections/:collectionId/permissions/users/:userId':
    collectionPermissions.removeUserFromCollection,
  'GET /collections/:collectionId/permissions/teams':
    collectionPermissions.listTeamPermissionsInCollection,
  'PATCH /collections/:collectionId/permissions/teams/:teamId':
    collectionPermissions.updateTeamPermissionInCollection,
  'DELETE /collections/:collectionId/permissions/teams/:teamId':
    collectionPermissions.removeTeamFromCollection,
})
