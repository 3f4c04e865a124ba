import type { z } from 'zod'
import { site } from '../../../access/guards/site.ts'
import { targetSite } from '../../../access/guards/target.ts'
import { inMemory, listing } from '../../../http/list.ts'
import { listTeams, listUsers, withUsers } from '../../people/permissions/list-operations.ts'
import {
  invite,
  type On,
  removeTeam,
  removeUser,
  updateTeam,
  updateUser,
} from '../../people/permissions/operations.ts'
import { AggregateQuery } from '../../people/permissions/schema.ts'
import type { SitePath } from '../schema.ts'
import { listSiteHolders } from './holders.ts'
import { SiteUserPermission, siteBodies, sitePaths } from './schema.ts'

const onSite: On<z.output<typeof SitePath>> = {
  kind: 'site',
  name: 'Site',
  elsewhere: 'teams, the organization, the default level, its spaces',
  paths: sitePaths,
  bodies: siteBodies,
  guard: targetSite,
}

export const inviteToSite = invite(onSite)
export const listUserPermissionsInSite = listUsers(onSite)
export const updateUserPermissionInSite = updateUser(onSite)
export const removeUserFromSite = removeUser(onSite)
export const listTeamPermissionsInSite = listTeams(onSite)
export const updateTeamPermissionInSite = updateTeam(onSite)
export const removeTeamFromSite = removeTeam(onSite)

export const listPermissionsAggregateInSite = listing({
  operationId: 'listPermissionsAggregateInSite',
  summary: 'List the resulting roles of all users on a site',
  description:
    'Returns every member of the organization who has a role on the site, with the resulting role. `origin` is a space of the site that the user may read, or else the organization. The list is ordered by the time of joining, oldest first. Requires the role "admin" on the site.',
  params: sitePaths.target,
  query: AggregateQuery,
  item: SiteUserPermission,
  access: site('admin'),
  list: async ({ ctx, site: row, user, query: { role } }) => {
    const all = await listSiteHolders(ctx, row)
    const wanted = role === undefined ? all : all.filter(each => each.role === role)
    return inMemory({
      name: `roles on site ${row.id} ${role ?? ''}`,
      rows: wanted,
      key: ({ joined_at, user_id }): [string, string] => [joined_at, user_id],
      show: rows => {
        const origins = new Map(rows.map(each => [each.user_id, each.origin]))
        return withUsers(ctx, user.id, rows).map(each => ({
          ...each,
          disabled: false as const,
          origin: origins.get(each.user.id) ?? {
            type: 'organization' as const,
            organization: row.organization_id,
          },
        }))
      },
    })
  },
})
