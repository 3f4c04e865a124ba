import type { z } from 'zod'
import type { Target, TargetGrant } from '../../../access/guards/target.ts'
import { memberWithin } from '../../../access/reach.ts'
import type { Context } from '../../../context.ts'
import { listing } from '../../../http/list.ts'
import { listGiven } from '../../../store/people/permissions.ts'
import { type AfterHolder, listHolders } from '../../../store/people/roles-on-space.ts'
import { findTeams } from '../../../store/people/teams.ts'
import { findShownUsers } from '../../../store/people/users.ts'
import { listGivenOnSite } from '../../../store/sites/site-permissions.ts'
import type { Role } from '../../../store/tables/roles.ts'
import { presentUser } from '../../base/users/present.ts'
import { loadTeams } from '../teams/load.ts'
import type { On } from './operations.ts'
import { AggregateQuery, TeamPermission, UserPermission } from './schema.ts'

/** Returns up to `limit` users or teams with a grant on the target itself, by id, after `after`. */
const listGrants = (
  { store }: Context,
  target: TargetGrant['target'],
  kind: 'user' | 'team',
  limit: number,
  after: string | undefined,
) =>
  target.kind === 'site'
    ? listGivenOnSite(store, target.id, kind, limit, after)
    : listGiven(store, { ...target, kind: target.kind }, kind, limit, after)

/** Returns the operation that lists the grants of users. */
export const listUsers = <P extends object>({ kind, name, paths, guard }: On<P>) =>
  listing({
    operationId: `listUserPermissionsIn${name}`,
    summary: `List the grants of users on a ${kind}`,
    description: `Returns the roles that were given to users on the ${kind} itself, sorted by user id. Grants of null, which revoke access, are left out. \`GET …/permissions/aggregate\` returns the resulting roles. Requires the role "admin" on the ${kind}.`,
    params: paths.target,
    item: UserPermission,
    access: guard('admin'),
    list: ({ ctx, target, user }) => ({
      name: `users given ${kind} ${target.id}`,
      rows: (limit, after: string | undefined) => listGrants(ctx, target, 'user', limit, after),
      key: row => row.subject_id,
      show: rows =>
        withUsers(
          ctx,
          user.id,
          rows.map(row => ({ user_id: row.subject_id, role: row.role })),
        ),
    }),
  })

/** Returns the operation that lists the grants of teams. */
export const listTeams = <P extends object>({ kind, name, paths, guard }: On<P>) =>
  listing({
    operationId: `listTeamPermissionsIn${name}`,
    summary: `List the grants of teams on a ${kind}`,
    description: `Returns the roles that were given to teams on the ${kind} itself, sorted by team id. Grants of null, which revoke access, are left out. Requires the role "admin" on the ${kind}.`,
    params: paths.target,
    item: TeamPermission,
    access: guard('admin'),
    list: ({ ctx, target, user }) => ({
      name: `teams given ${kind} ${target.id}`,
      rows: (limit, after: string | undefined) => listGrants(ctx, target, 'team', limit, after),
      key: row => row.subject_id,
      show: grants => {
        const ids = grants.map(row => row.subject_id)
        const rows = [...findTeams(ctx.store, target.organizationId, ids).values()]
        const member = memberWithin(ctx, target.organizationId, user.id)
        const teams = loadTeams(ctx, rows, { user_id: user.id, role: member?.role ?? null })
        const byId = new Map(teams.map(team => [team.id, team]))
        return grants.flatMap(({ subject_id, role: permission }) => {
          const team = byId.get(subject_id)
          return team ? [{ permission, team }] : []
        })
      },
    }),
  })

/** Returns the operation that lists all users with a role, wherever it comes from. */
export const listAggregate = <P extends object>({
  kind,
  name,
  paths,
  guard,
}: On<P> & { kind: Target['kind'] }) =>
  listing({
    operationId: `listPermissionsAggregateIn${name}`,
    summary: `List the resulting roles of all users on a ${kind}`,
    description:
      'Returns every member of the organization who has a role here, with the role that results from grants to the user, grants to their teams and default levels. The list is ordered by the time of joining, oldest first. Requires the role "admin".',
    params: paths.target,
    query: AggregateQuery,
    item: UserPermission,
    access: guard('admin'),
    list: ({ ctx, target, user, query: { role } }) => ({
      name: `roles on ${kind} ${target.id} ${role ?? ''}`,
      rows: (limit, after: AfterHolder | undefined) =>
        listHolders(ctx.store, { ...target, kind }, role, limit, after),
      key: (row): AfterHolder => [row.joined_at, row.user_id],
      show: rows => withUsers(ctx, user.id, rows),
    }),
  })

type Item = z.input<typeof UserPermission>

/**
 * Returns roles with the resources of their users; users that the viewer may not see are left out.
 */
export function withUsers(
  ctx: Context,
  viewerId: string,
  rows: readonly { user_id: string; role: Role }[],
): Item[] {
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
