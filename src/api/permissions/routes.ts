import { targetCollection, targetSpace } from '../../access/target.ts'
import { routes } from '../../http/endpoint.ts'
import { invite, type On, removeTeam, removeUser, updateTeam, updateUser } from './endpoints.ts'
import { listAggregate, listTeams, listUsers } from './list-endpoints.ts'
import { collectionPaths, spacePaths } from './schema.ts'

const onSpace: On<{ spaceId: string }> = {
  kind: 'space',
  name: 'Space',
  paths: spacePaths,
  guard: targetSpace,
}

const onCollection: On<{ collectionId: string }> = {
  kind: 'collection',
  name: 'Collection',
  paths: collectionPaths,
  guard: targetCollection,
}

export const permissionRoutes = routes({
  // Permissions on spaces
  'POST /spaces/:spaceId/permissions': invite(onSpace),
  'GET /spaces/:spaceId/permissions/aggregate': listAggregate(onSpace),
  'GET /spaces/:spaceId/permissions/users': listUsers(onSpace),
  'PATCH /spaces/:spaceId/permissions/users/:userId': updateUser(onSpace),
  'DELETE /spaces/:spaceId/permissions/users/:userId': removeUser(onSpace),
  'GET /spaces/:spaceId/permissions/teams': listTeams(onSpace),
  'PATCH /spaces/:spaceId/permissions/teams/:teamId': updateTeam(onSpace),
  'DELETE /spaces/:spaceId/permissions/teams/:teamId': removeTeam(onSpace),

  // Permissions on collections
  'POST /collections/:collectionId/permissions': invite(onCollection),
  'GET /collections/:collectionId/permissions/aggregate': listAggregate(onCollection),
  'GET /collections/:collectionId/permissions/users': listUsers(onCollection),
  'PATCH /collections/:collectionId/permissions/users/:userId': updateUser(onCollection),
  'DELETE /collections/:collectionId/permissions/users/:userId': removeUser(onCollection),
  'GET /collections/:collectionId/permissions/teams': listTeams(onCollection),
  'PATCH /collections/:collectionId/permissions/teams/:teamId': updateTeam(onCollection),
  'DELETE /collections/:collectionId/permissions/teams/:teamId': removeTeam(onCollection),
})
