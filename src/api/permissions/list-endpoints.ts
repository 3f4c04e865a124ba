import type { z } from 'zod'
import { memberWithin } from '../../access/reach.ts'
import type { Context } from '../../context.ts'
import { endpoint } from '../../http/endpoint.ts'
import { envelope, PageQuery, pageOf } from '../../http/list.ts'
import { listGiven } from '../../store/people/permissions.ts'
import { type AfterHolder, listHolders } from '../../store/people/roles-on-space.ts'
import { findTeams } from '../../store/people/teams.ts'
import { findShownUsers } from '../../store/people/users.ts'
import type { Role } from '../../store/tables/roles.ts'
import { loadTeams } from '../teams/load.ts'
import { presentUser } from '../users/present.ts'
import type { On } from './endpoints.ts'
import { AggregateQuery, TeamPermissions, UserPermissions } from './schema.ts'

/** The operation that lists the users who were given a role. */
export const listUsers = <P extends object>({ kind, name, paths, guard }: On<P>) =>
  endpoint({
    operationId: `listUserPermissionsIn${name}`,
    summary: `List what users were given on a ${kind}`,
    description: `For its admins, in the order of the users' ids: what was given on the ${kind} itself. Those from whom it was taken away (null) are not listed; who may do what in the end is in the aggregate.`,
    params: paths.target,
    query: PageQuery,
    reply: UserPermissions,
    access: guard('admin'),
    handle: async ({ ctx, target, user, query }) => {
      const page = await pageOf(
        ctx,
        `users given ${kind} ${target.id}`,
        query,
        (limit, after: [string] | undefined) => listGiven(ctx.store, target, 'user', limit, after?.[0]),
        (row): [string] => [row.subject_id],
      )
      const held = page.rows.map(row => ({ user_id: row.subject_id, role: row.role }))
      return envelope(page, withUsers(ctx, user.id, held))
    },
  })

/** The operation that lists the teams that were given a role. */
export const listTeams = <P extends object>({ kind, name, paths, guard }: On<P>) =>
  endpoint({
    operationId: `listTeamPermissionsIn${name}`,
    summary: `List what teams were given on a ${kind}`,
    description: `For its admins, in the order of the teams' ids: what was given on the ${kind} itself. Those from which it was taken away (null) are not listed.`,
    params: paths.target,
    query: PageQuery,
    reply: TeamPermissions,
    access: guard('admin'),
    handle: async ({ ctx, target, user, query }) => {
      const page = await pageOf(
        ctx,
        `teams given ${kind} ${target.id}`,
        query,
        (limit, after: [string] | undefined) => listGiven(ctx.store, target, 'team', limit, after?.[0]),
        (row): [string] => [row.subject_id],
      )
      const ids = page.rows.map(row => row.subject_id)
      const rows = [...findTeams(ctx.store, target.organizationId, ids).values()]
      const member = memberWithin(ctx, target.organizationId, user.id)
      const teams = loadTeams(ctx, rows, { user_id: user.id, role: member?.role ?? null })
      const byId = new Map(teams.map(team => [team.id, team]))
      const items = page.rows.flatMap(({ subject_id, role: permission }) => {
        const team = byId.get(subject_id)
        return team ? [{ permission, team }] : []
      })
      return envelope(page, items)
    },
  })

/** The operation that lists everybody who has a role, whatever it comes from. */
export const listAggregate = <P extends object>({ kind, name, paths, guard }: On<P>) =>
  endpoint({
    operationId: `listPermissionsAggregateIn${name}`,
    summary: `List who may do what on a ${kind}`,
    description:
      'For its admins: every member of the organization who has a role on it, with the role that all they were given, their teams and the defaults come to. Who joined first comes first.',
    params: paths.target,
    query: AggregateQuery,
    reply: UserPermissions,
    access: guard('admin'),
    handle: async ({ ctx, target, user, query: { role, ...query } }) => {
      const page = await pageOf(
        ctx,
        `roles on ${kind} ${target.id} ${role ?? ''}`,
        query,
        (limit, after: AfterHolder | undefined) => listHolders(ctx.store, target, role, limit, after),
        (row): AfterHolder => [row.joined_at, row.user_id],
      )
      return envelope(page, withUsers(ctx, user.id, page.rows))
    },
  })

type Item = z.input<typeof UserPermissions>['items'][number]

function withUsers(ctx: Context, viewerId: string, rows: readonly { user_id: string; role: Role }[]): Item[] {
  const users = findShownUsers(
    ctx.store,
    viewerId,
    rows.map(row => row.user_id),
  )
  return rows.flatMap(({ user_id, role: permission }) => {
    const user = users.get(user_id)
    return user ? [{ permission, user: presentUser(user, ctx.publicUrl()) }] : []
  })
}
