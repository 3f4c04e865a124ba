import { targetCollection } from '../../../access/guards/target.ts'
import { listAggregate, listTeams, listUsers } from './list-operations.ts'
import { invite, type On, removeTeam, removeUser, updateTeam, updateUser } from './operations.ts'
import { collectionPaths, contentBodies } from './schema.ts'

const onCollection: On<{ collectionId: string }> & { kind: 'collection' } = {
  kind: 'collection',
  name: 'Collection',
  elsewhere: 'teams, collections around it, default levels',
  paths: collectionPaths,
  bodies: contentBodies,
  guard: targetCollection,
}

export const inviteToCollection = invite(onCollection)
export const listPermissionsAggregateInCollection = listAggregate(onCollection)
export const listUserPermissionsInCollection = listUsers(onCollection)
export const updateUserPermissionInCollection = updateUser(onCollection)
export const removeUserFromCollection = removeUser(onCollection)
export const listTeamPermissionsInCollection = listTeams(onCollection)
export const updateTeamPermissionInCollection = updateTeam(onCollection)
export const removeTeamFromCollection = removeTeam(onCollection)
