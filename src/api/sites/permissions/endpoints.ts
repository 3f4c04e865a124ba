import type { z } from 'zod'
import { site } from '../../../access/guards/site.ts'
import { targetSite } from '../../../access/guards/target.ts'
import { listing } from '../../../http/list.ts'
import { type AfterMember, keyOfMember } from '../../../store/people/members.ts'
import { listTeams, listUsers, withUsers } from '../../people/permissions/list-operations.ts'
import {
  invite,
  type On,
  removeTeam,
  removeUser,
  updateTeam,
  updateUser,
} from '../../people/permissions/operations.ts'
import type { SitePath } from '../schema.ts'
import { listSiteHolders, type SiteHolder } from './holders.ts'
import { SiteHoldersQuery, SiteUserPermission, siteBodies, sitePaths } from './schema.ts'

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
    'Returns every member of the organization who has a role on the site, with the resulting role. `origin` is a space of the site that the user may read, or else the organization. The list is ordered by the time of joining, newest first; `sort` and `order` change that. Requires the role "admin" on the site.',
  params: sitePaths.target,
  query: SiteHoldersQuery,
  item: SiteUserPermission,
  access: site('admin'),
  list: ({ ctx, site: row, user, query: { sort = 'joinedAt', order = 'desc', ...filter } }) => {
    const { role, search, team } = filter
    const list = { role, search, team, sort, order }
    return {
      name: `roles on site ${row.id} ${JSON.stringify(list)}`,
      rows: (limit, after: AfterMember | undefined) =>
        listSiteHolders(ctx, row, list, limit, after),
      key: keyOfMember,
      show: rows => {
        const held = new Map(rows.map(each => [each.user_id, each]))
        return withUsers(ctx, user.id, rows).map(each => {
          const { origin, last_seen_at } = held.get(each.user.id) as SiteHolder
          return {
            ...each,
            disabled: false as const,
            ...(last_seen_at !== null && { lastSeenAt: last_seen_at }),
            origin,
          }
        })
      },
    }
  },
})
