import { type TeamGrant, team } from '../../../access/guards/team.ts'
import { withoutGain } from '../../../access/without-gain.ts'
import type { EventActor } from '../../../actions/events/audit-event.ts'
import { recordOn } from '../../../actions/events/record-event.ts'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import { endpoint, nothing } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { findMembers } from '../../../store/people/organizations.ts'
import { hasPermissions } from '../../../store/people/permissions.ts'
import { noteRevocation } from '../../../store/people/revocations.ts'
import {
  deleteTeamMember,
  findTeamRoles,
  listTeamMembers,
  putTeamMember,
  type TeamRole,
} from '../../../store/people/teams.ts'
import { listThingsOf } from '../../../store/spaces/things.ts'
import type { TeamRow } from '../../../store/tables/rows.ts'
import { loadMembers } from '../members/load.ts'
import { membersNamed } from './named-members.ts'
import { TeamMember, TeamMemberBody, TeamMemberPath, TeamMembersBody, TeamPath } from './schema.ts'

const record = recordOn('team')

export const listTeamMembersInOrganizationById = listing({
  operationId: 'listTeamMembersInOrganizationById',
  summary: 'List the members of a team',
  description: 'Returns the members sorted by id. Guests may not call this operation.',
  params: TeamPath,
  item: TeamMember,
  access: team('view'),
  list: ({ ctx, team: row, user }) => ({
    name: `members of team ${row.id}`,
    rows: (limit, after: string | undefined) => listTeamMembers(ctx.store, row, limit, after),
    key: member => member.user_id,
    show: rows => {
      const members = loadMembers(ctx, row.organization_id, rows, user.id)
      return rows.map(({ team_role: role }, at) => ({
        organization: members[at] as (typeof members)[number],
        team: { role },
        permissions: { view: true },
      }))
    },
  }),
})

export const updateMembersInOrganizationTeam = endpoint({
  operationId: 'updateMembersInOrganizationTeam',
  summary: 'Add, update and remove members of a team',
  description:
    'Makes all changes of the body, or none. If a user is both added and removed, the user is removed. Requires an owner of the team or an admin of the organization.',
  params: TeamPath,
  body: TeamMembersBody,
  reply: nothing,
  access: team('manage'),
  write: ({ ctx, body, by, ...granted }) => {
    const { add = [], remove = [], memberships = {} } = body
    const named = membersNamed(ctx, granted.organization.id, {
      add,
      remove,
      memberships: Object.keys(memberships),
    })
    const wanted = new Map<string, TeamRole | undefined>(named.add.map(id => [id, undefined]))
    Object.values(memberships).forEach(({ role }, at) => {
      wanted.set(named.memberships[at] as string, role)
    })
    for (const id of named.remove) wanted.delete(id)
    changeMembers(ctx, granted, { put: wanted, remove: named.remove }, by)
  },
})

export const addMemberToOrganizationTeamById = endpoint({
  operationId: 'addMemberToOrganizationTeamById',
  summary: 'Add a member to a team, or update their role in it',
  description:
    'Adds a member of the organization to the team, or changes the role of a member of the team. Requires an owner of the team or an admin of the organization.',
  params: TeamMemberPath,
  body: TeamMemberBody,
  bodyOptional: true,
  reply: nothing,
  access: team('manage'),
  write: ({ ctx, params, body, by, ...granted }) => {
    const { userId } = params
    if (!findMembers(ctx.store, granted.organization.id, [userId]).has(userId))
      throw missing('member', userId)
    changeMembers(ctx, granted, { put: new Map([[userId, body.role]]), remove: [] }, by)
  },
})

export const deleteMemberFromOrganizationTeamById = endpoint({
  operationId: 'deleteMemberFromOrganizationTeamById',
  summary: 'Remove a member from a team',
  description:
    'Removes the user from the team. Requires an owner of the team or an admin of the organization. The operation also succeeds when the user is not in the team.',
  params: TeamMemberPath,
  reply: nothing,
  access: team('manage'),
  write: ({ ctx, params, by, ...granted }) => {
    changeMembers(ctx, granted, { put: new Map(), remove: [params.userId] }, by)
  },
})

/**
 * The users to put into a team, with a role or (undefined) the one they have, and those to remove.
 */
type Change = { put: ReadonlyMap<string, TeamRole | undefined>; remove: readonly string[] }

/**
 * Changes the members of a team and records the effective changes; call it inside a transaction.
 */
function changeMembers(
  ctx: Context,
  { team, user }: TeamGrant,
  { put, remove }: Change,
  by: EventActor,
): void {
  const before = findTeamRoles(ctx.store, team.id, [...put.keys()])
  const added: Record<string, TeamRole> = {}
  const changed: Record<string, TeamRole> = {}

  for (const [id, said] of put) {
    const held = before.get(id)
    const role = said ?? held ?? 'member'
    if (held === role) continue
    putTeamMember(ctx.store, team.id, id, role)
    if (held) changed[id] = role
    else added[id] = role
  }

  const removed = removeMembers(ctx, team, user.id, [...new Set(remove)])
  if (Object.keys(added).length + Object.keys(changed).length + removed.length === 0) return
  noteRevocation(ctx.store, team.organization_id, removed, ctx.now().toISOString())
  record(ctx, team, 'team.members_updated', by, { added, changed, removed })
}

/**
 * Removes users from a team and returns those who were in it. Throws 'forbidden' when the team's
 * grants restricted one of them on an item that the caller does not administer.
 */
function removeMembers(
  ctx: Context,
  team: TeamRow,
  userId: string,
  remove: readonly string[],
): string[] {
  const take = () => remove.filter(id => deleteTeamMember(ctx.store, team.id, id) > 0)
  if (remove.length === 0 || !hasPermissions(ctx.store, { kind: 'team', id: team.id }))
    return take()
  const organizationId = team.organization_id
  const things = listThingsOf(ctx.store, organizationId)
  return withoutGain(ctx, { organizationId, userId, things, watched: remove }, take)
}
