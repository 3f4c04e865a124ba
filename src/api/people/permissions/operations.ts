import type { z } from 'zod'
import type { Access } from '../../../access/asker.ts'
import { checkTarget, type TargetGrant } from '../../../access/guards/target.ts'
import { admitGuest, grant, revokeGrant } from '../../../actions/members/grant.ts'
import { missing } from '../../../errors.ts'
import { endpoint, nothing } from '../../../http/endpoint.ts'
import { findMembers } from '../../../store/people/organizations.ts'
import { findTeam, findTeams } from '../../../store/people/teams.ts'
import type { Role } from '../../../store/tables/roles.ts'
import type { contentBodies } from './schema.ts'

/** The target of permissions: everything in which spaces, collections and sites differ here. */
export type On<P extends object> = {
  kind: 'space' | 'collection' | 'site'
  /** The name in operation ids. */
  name: 'Space' | 'Collection' | 'Site'
  /** Where other roles on it come from, for descriptions. */
  elsewhere: string
  bodies: typeof contentBodies
  paths: {
    target: z.ZodType<P>
    user: z.ZodType<P & { userId: string }>
    team: z.ZodType<P & { teamId: string }>
  }
  guard: (needed: Role) => Access<P, TargetGrant>
}

/** Returns the operation that gives several users and teams a role. */
export const invite = <P extends object>({ kind, name, paths, bodies, guard }: On<P>) =>
  endpoint({
    operationId: `inviteTo${name}`,
    summary: `Give users and teams a role on a ${kind}`,
    description: `Gives the role to the users and teams; it replaces roles that they were given on the ${kind} before. Requires the role "admin" on the ${kind}. Users must belong to the organization. An admin of the organization can also list an account without an organization, which becomes a guest. Invite accounts of other organizations by e-mail address.`,
    params: paths.target,
    body: bodies.invite,
    reply: nothing,
    access: guard('admin'),
    write: ({ ctx, target, user, body, request }) => {
      const { users = [], teams = [], role } = body
      const doer = { user, origin: request.origin }
      const ours = findTeams(ctx.store, target.organizationId, teams)
      const unknown = teams.find(id => !ours.has(id))
      if (unknown !== undefined) throw missing('team', unknown)

      for (const id of users) {
        admitGuest(ctx, target.organizationId, id, doer)
        grant(ctx, target, { kind: 'user', id }, role, doer)
      }

      for (const id of teams) grant(ctx, target, { kind: 'team', id }, role, doer)
    },
  })

/** Returns the operation that changes the role of a member of the organization. */
export const updateUser = <P extends object>({ kind, name, paths, bodies, guard }: On<P>) =>
  endpoint({
    operationId: `updateUserPermissionIn${name}`,
    summary: `Set the role of a user on a ${kind}`,
    description: `Gives the user a role on the ${kind}, or changes it. The user must belong to the organization. Requires the role "admin" on the ${kind}.`,
    params: paths.user,
    body: bodies.patch,
    reply: nothing,
    access: guard('admin') as Access<P & { userId: string }, TargetGrant>,
    write: ({ ctx, target, user, params: { userId }, body: { role }, request }) => {
      if (!findMembers(ctx.store, target.organizationId, [userId]).has(userId))
        throw missing('user', userId)
      if (role === undefined) return
      grant(ctx, target, { kind: 'user', id: userId }, role, { user, origin: request.origin })
    },
  })

/** Returns the operation that removes a user's grant. */
export const removeUser = <P extends object>({ kind, name, elsewhere, paths, guard }: On<P>) =>
  endpoint({
    operationId: `removeUserFrom${name}`,
    summary: `Remove the grant of a user on a ${kind}`,
    description: `Removes the role that the user was given on the ${kind}. Roles from other places (${elsewhere}) stay. Requires the role "admin" on the ${kind}; users can also remove their own role, unless this would give them a stronger one. The operation also succeeds when there is no such role.`,
    params: paths.user,
    reply: nothing,
    access: guard('read') as Access<P & { userId: string }, TargetGrant>,
    write: ({ ctx, target, user, params: { userId }, request }) => {
      if (userId !== user.id) checkTarget(ctx, target, user.id, 'admin')
      // A nearer grant may be the weaker one: removing it must not make anyone stronger.
      revokeGrant(ctx, target, { kind: 'user', id: userId }, { user, origin: request.origin })
    },
  })

/** Returns the operation that changes the role of a team. */
export const updateTeam = <P extends object>({ kind, name, paths, bodies, guard }: On<P>) =>
  endpoint({
    operationId: `updateTeamPermissionIn${name}`,
    summary: `Set the role of a team on a ${kind}`,
    description: `Gives the team a role on the ${kind}, or changes it. The team must belong to the organization. Requires the role "admin" on the ${kind}.`,
    params: paths.team,
    body: bodies.patch,
    reply: nothing,
    access: guard('admin') as Access<P & { teamId: string }, TargetGrant>,
    write: ({ ctx, target, user, params: { teamId }, body: { role }, request }) => {
      if (!findTeam(ctx.store, target.organizationId, teamId)) throw missing('team', teamId)
      if (role === undefined) return
      grant(ctx, target, { kind: 'team', id: teamId }, role, { user, origin: request.origin })
    },
  })

/** Returns the operation that removes a team's grant. */
export const removeTeam = <P extends object>({ kind, name, paths, guard }: On<P>) =>
  endpoint({
    operationId: `removeTeamFrom${name}`,
    summary: `Remove the grant of a team on a ${kind}`,
    description: `Removes the role that the team was given on the ${kind}. Requires the role "admin" on the ${kind}. The operation also succeeds when there is no such role.`,
    params: paths.team,
    reply: nothing,
    access: guard('admin') as Access<P & { teamId: string }, TargetGrant>,
    write: ({ ctx, target, user, params: { teamId }, request }) => {
      revokeGrant(ctx, target, { kind: 'team', id: teamId }, { user, origin: request.origin })
    },
  })
