import type { z } from 'zod'
import type { Access } from '../../access/asker.ts'
import { checkTarget, type TargetGrant } from '../../access/guards/target.ts'
import { missing } from '../../errors.ts'
import { atOnce, endpoint, nothing } from '../../http/endpoint.ts'
import { findMembers } from '../../store/people/organizations.ts'
import { findTeam, findTeams } from '../../store/people/teams.ts'
import type { Role } from '../../store/tables/roles.ts'
import { admit, give, takeBack } from './give.ts'
import { InviteBody, PermissionPatch } from './schema.ts'

/** What permissions are on: everything in which spaces and collections differ here. */
export type On<P extends object> = {
  kind: 'space' | 'collection'
  /** As it stands in the names of the operations. */
  name: 'Space' | 'Collection'
  paths: {
    target: z.ZodType<P>
    user: z.ZodType<P & { userId: string }>
    team: z.ZodType<P & { teamId: string }>
  }
  guard: (needed: Role) => Access<P, TargetGrant>
}

/** The operation that gives several users and teams a role. */
export const invite = <P extends object>({ kind, name, paths, guard }: On<P>) =>
  endpoint({
    operationId: `inviteTo${name}`,
    summary: `Give users and teams a role on a ${kind}`,
    description: `For its admins. What was given to them on the ${kind} before is replaced. An admin of the organization may name an account that belongs to no organization: it becomes a guest of this one. Accounts of other organizations are invited by their e-mail address.`,
    params: paths.target,
    body: InviteBody,
    reply: nothing,
    access: guard('admin'),
    handle: ({ ctx, target, user, body, request }) =>
      atOnce(() => {
        checkTarget(ctx, target, user.id, 'admin')
        const { users = [], teams = [], role } = body
        const doer = { user, origin: request.origin }
        const ours = findTeams(ctx.store, target.organizationId, teams)
        const unknown = teams.find(id => !ours.has(id))
        if (unknown !== undefined) throw missing('team', unknown)
        for (const id of users) {
          admit(ctx, target.organizationId, id, doer)
          give(ctx, target, { kind: 'user', id }, role, doer)
        }
        for (const id of teams) give(ctx, target, { kind: 'team', id }, role, doer)
        return undefined
      }),
  })

/** The operation that gives a member of the organization another role. */
export const updateUser = <P extends object>({ kind, name, paths, guard }: On<P>) =>
  endpoint({
    operationId: `updateUserPermissionIn${name}`,
    summary: `Change the role of a user on a ${kind}`,
    description: `For its admins; of somebody who belongs to the organization, also when nothing was given to them yet.`,
    params: paths.user,
    body: PermissionPatch,
    reply: nothing,
    access: guard('admin') as Access<P & { userId: string }, TargetGrant>,
    handle: ({ ctx, target, user, params: { userId }, body: { role }, request }) =>
      atOnce(() => {
        checkTarget(ctx, target, user.id, 'admin')
        if (!findMembers(ctx.store, target.organizationId, [userId]).has(userId))
          throw missing('user', userId)
        if (role === undefined) return undefined
        give(ctx, target, { kind: 'user', id: userId }, role, { user, origin: request.origin })
        return undefined
      }),
  })

/** The operation that takes back what was given to a user. */
export const removeUser = <P extends object>({ kind, name, paths, guard }: On<P>) =>
  endpoint({
    operationId: `removeUserFrom${name}`,
    summary: `Take back what a user was given on a ${kind}`,
    description: `For its admins, and for the user, as long as this does not give them more than they have. What they get from elsewhere (a team, a collection around it, a default) they keep. The same answer when nothing was given to them.`,
    params: paths.user,
    reply: nothing,
    access: guard('read') as Access<P & { userId: string }, TargetGrant>,
    handle: ({ ctx, target, user, params: { userId }, request }) =>
      atOnce(() => {
        const own = userId === user.id
        checkTarget(ctx, target, user.id, own ? 'read' : 'admin')
        // A nearer grant may be the weaker one: nobody becomes stronger by giving it back.
        takeBack(ctx, target, { kind: 'user', id: userId }, { user, origin: request.origin })
        return undefined
      }),
  })

/** The operation that gives a team another role. */
export const updateTeam = <P extends object>({ kind, name, paths, guard }: On<P>) =>
  endpoint({
    operationId: `updateTeamPermissionIn${name}`,
    summary: `Change the role of a team on a ${kind}`,
    description: `For its admins; of a team of the organization, also when nothing was given to it yet.`,
    params: paths.team,
    body: PermissionPatch,
    reply: nothing,
    access: guard('admin') as Access<P & { teamId: string }, TargetGrant>,
    handle: ({ ctx, target, user, params: { teamId }, body: { role }, request }) =>
      atOnce(() => {
        checkTarget(ctx, target, user.id, 'admin')
        if (!findTeam(ctx.store, target.organizationId, teamId)) throw missing('team', teamId)
        if (role === undefined) return undefined
        give(ctx, target, { kind: 'team', id: teamId }, role, { user, origin: request.origin })
        return undefined
      }),
  })

/** The operation that takes back what was given to a team. */
export const removeTeam = <P extends object>({ kind, name, paths, guard }: On<P>) =>
  endpoint({
    operationId: `removeTeamFrom${name}`,
    summary: `Take back what a team was given on a ${kind}`,
    description: 'For its admins. The same answer when nothing was given to it.',
    params: paths.team,
    reply: nothing,
    access: guard('admin') as Access<P & { teamId: string }, TargetGrant>,
    handle: ({ ctx, target, user, params: { teamId }, request }) =>
      atOnce(() => {
        checkTarget(ctx, target, user.id, 'admin')
        takeBack(ctx, target, { kind: 'team', id: teamId }, { user, origin: request.origin })
        return undefined
      }),
  })
