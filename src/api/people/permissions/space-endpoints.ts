import { targetSpace } from '../../../access/guards/target.ts'
import { listAggregate, listTeams, listUsers } from './list-operations.ts'
import { invite, type On, removeTeam, removeUser, updateTeam, updateUser } from './operations.ts'
import { contentBodies, spacePaths } from './schema.ts'

const onSpace: On<{ spaceId: string }> & { kind: 'space' } = {
  kind: 'space',
  name: 'Space',
  elsewhere: 'teams, collections around it, default levels',
  paths: spacePaths,
  bodies: contentBodies,
  guard: targetSpace,
}

export const inviteToSpace = invite(onSpace)
export const listPermissionsAggregateInSpace = listAggregate(onSpace)
export const listUserPermissionsInSpace = listUsers(onSpace)
export const updateUserPermissionInSpace = updateUser(onSpace)
export const removeUserFromSpace = removeUser(onSpace)
export const listTeamPermissionsInSpace = listTeams(onSpace)
export const updateTeamPermissionInSpace = updateTeam(onSpace)
export const removeTeamFromSpace = removeTeam(onSpace)
