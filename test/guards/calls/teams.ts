import { putPermission } from '../../../src/store/people/permissions.ts'
import { putTeamMember } from '../../../src/store/people/teams.ts'
import type { Role } from '../../../src/store/tables/roles.ts'
import { type Caller, levels } from '../callers.ts'
import { at, put } from '../rows.ts'
import { another, type World } from '../world.ts'
import { type Call, type Calls, fresh, own, restoring } from './call.ts'

const idOf = ({ by }: World, { actor }: Caller) => actor.id || by.id

/** A team of the organization with these members. */
function newTeam({ app, ids }: World, people: Record<string, 'owner' | 'member'> = {}): string {
  const teamId = put(app, 'team', {
    organization_id: ids.organizationId as string,
    title: another('Team'),
    created_at: at,
  })
  for (const [userId, role] of Object.entries(people))
    putTeamMember(app.ctx.store, teamId, userId, role)
  return teamId
}

/** The same call to an unrelated team and to one that the caller owns. */
function ofTeams(name: string, sent: (world: World) => { userId?: string; body?: unknown }): Calls {
  const make =
    (owns: boolean): Call['make'] =>
    (world, caller) => {
      const { userId, body } = sent(world)
      const people = {
        ...(userId && name.startsWith('delete') && { [userId]: 'member' as const }),
        ...(owns && { [idOf(world, caller)]: 'owner' as const }),
      }
      return { ids: { teamId: newTeam(world, people), ...(userId && { userId }) }, body }
    }
  return { [name]: fresh(make(false)), [`${name}@owner`]: own(make(true)) }
}

type Target = 'Space' | 'Collection'

/** Grants a user a role on the world's space or collection. */
function give(
  { app, ids }: World,
  target: Target,
  kind: 'user' | 'team',
  id: string,
  role: Role = 'read',
): void {
  putPermission(app.ctx.store, {
    target_kind: target === 'Space' ? 'space' : 'collection',
    target_id: (target === 'Space' ? ids.spaceId : ids.collectionId) as string,
    subject_kind: kind,
    subject_id: id,
    role,
    created_at: at,
  })
}

function permissions(target: Target): Calls {
  const user = fresh(world => {
    give(world, target, 'user', world.fellow)
    return { ids: { userId: world.fellow }, body: { role: 'comment' } }
  })

  const team = fresh(world => {
    const teamId = newTeam(world)
    give(world, target, 'team', teamId)
    return { ids: { teamId }, body: { role: 'comment' } }
  })
  const bare = ({ make }: Call): Call =>
    fresh(async (world, caller) => ({ ids: (await make(world, caller)).ids ?? {} }))

  return {
    [`inviteTo${target}`]: fresh(world => ({ body: { role: 'comment', teams: [newTeam(world)] } })),
    [`updateUserPermissionIn${target}`]: user,
    [`removeUserFrom${target}`]: bare(user),
    [`removeUserFrom${target}@self`]: restoring((world, caller) => {
      const userId = idOf(world, caller)
      // The role without the grant is not stronger.
      const role = levels.find(level => level === caller.column)
      if (caller.column !== 'guest' && !(target === 'Collection' && caller.column === 'guest+'))
        give(world, target, 'user', userId, role)
      return { ids: { userId } }
    }),
    [`updateTeamPermissionIn${target}`]: team,
    [`removeTeamFrom${target}`]: bare(team),
  }
}

/** Teams, and grants to users and teams on spaces and collections. */
export const teams: Calls = {
  createOrganizationTeam: fresh(() => ({ body: { title: another('Team') } })),
  getTeamInOrganizationById: fresh(world => ({ ids: { teamId: newTeam(world) } })),
  listTeamMembersInOrganizationById: fresh(world => ({ ids: { teamId: newTeam(world) } })),
  ...ofTeams('updateTeamInOrganizationById', () => ({ body: { title: another('Team') } })),
  ...ofTeams('removeTeamFromOrganizationById', () => ({})),
  ...ofTeams('updateMembersInOrganizationTeam', ({ fellow }) => ({ body: { add: [fellow] } })),
  ...ofTeams('addMemberToOrganizationTeamById', ({ fellow }) => ({ userId: fellow, body: {} })),
  ...ofTeams('deleteMemberFromOrganizationTeamById', ({ fellow }) => ({ userId: fellow })),
  ...permissions('Space'),
  ...permissions('Collection'),
}
