import { organization } from '../../../access/guards/organization.ts'
import { team } from '../../../access/guards/team.ts'
import { memberWithin } from '../../../access/reach.ts'
import { atLeast } from '../../../access/roles.ts'
import { recordOn } from '../../../actions/events/record-event.ts'
import { createdAt, endpoint, nothing } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { randomId } from '../../../lib/digest.ts'
import { noteRevocation } from '../../../store/people/revocations.ts'
import {
  deleteTeam,
  findTeam,
  insertTeam,
  listTeams,
  putTeamMember,
  renameTeam,
} from '../../../store/people/teams.ts'
import { listTeamUserIds } from '../../../store/spaces/things.ts'
import type { TeamRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { loadTeam, loadTeams } from './load.ts'
import { membersNamed } from './named-members.ts'
import { Team, TeamBody, TeamPatch, TeamPath, TeamsQuery } from './schema.ts'

const record = recordOn('team')

export const listTeamsInOrganizationById = listing({
  operationId: 'listTeamsInOrganizationById',
  summary: 'List the teams of an organization',
  description: 'Returns the teams oldest first. Guests may not call this operation.',
  params: OrganizationPath,
  query: TeamsQuery,
  item: Team,
  access: organization('read'),
  list: ({ ctx, organization: { id }, member, query: { owner, title } }) => {
    const managesAll = owner !== undefined && atLeast(memberWithin(ctx, id, owner)?.role, 'admin')
    const filter = { owner: managesAll ? undefined : owner, title }
    return {
      name: `teams ${id} ${JSON.stringify({ owner, title })}`,
      rows: (limit, after) => listTeams(ctx.store, id, filter, limit, after),
      show: rows => loadTeams(ctx, rows, member),
    }
  },
})

export const createOrganizationTeam = endpoint({
  operationId: 'createOrganizationTeam',
  summary: 'Create a team',
  description:
    'Creates a team with its first members. Requires an admin of the organization. Admins can manage every team without being a member of it.',
  params: OrganizationPath,
  body: TeamBody,
  reply: Team,
  status: 201,
  access: organization('admin'),
  write: ({ ctx, organization: { id }, member, body, by }) => {
    const members = [...new Set(membersNamed(ctx, id, { members: body.members ?? [] }).members)]
    const row = insertTeam(ctx.store, {
      id: randomId(),
      organization_id: id,
      title: body.title,
      created_at: ctx.now().toISOString(),
    })

    for (const userId of members) putTeamMember(ctx.store, row.id, userId)
    record(ctx, row, 'team.created', by, { members })
    const location = `${ctx.publicUrl()}/v1/orgs/${id}/teams/${row.id}`

    return createdAt(location, loadTeam(ctx, row, member))
  },
})

export const getTeamInOrganizationById = endpoint({
  operationId: 'getTeamInOrganizationById',
  summary: 'Get a team',
  description:
    'Returns the team; `GET …/members` lists its members. Guests may not call this operation.',
  params: TeamPath,
  reply: Team,
  access: team('view'),
  handle: ({ ctx, team: row, member }) => loadTeam(ctx, row, member),
})

export const updateTeamInOrganizationById = endpoint({
  operationId: 'updateTeamInOrganizationById',
  summary: 'Update the title of a team',
  description:
    'Changes the title of the team. Requires an owner of the team or an admin of the organization.',
  params: TeamPath,
  body: TeamPatch,
  reply: Team,
  access: team('manage'),
  write: ({ ctx, team: before, member, body, by }) => {
    if (before.title === body.title) return loadTeam(ctx, before, member)
    const row = renameTeam(ctx.store, before.id, body.title) as TeamRow
    record(ctx, row, 'team.updated', by, { changed: ['title'] })

    return loadTeam(ctx, row, member)
  },
})

export const removeTeamFromOrganizationById = endpoint({
  operationId: 'removeTeamFromOrganizationById',
  summary: 'Delete a team',
  description:
    'Deletes the team and its roles on spaces, collections and sites. Requires an admin of the organization. The operation also succeeds when the team does not exist.',
  params: TeamPath,
  reply: nothing,
  access: organization('admin'),
  write: ({ ctx, organization: { id }, params, by }) => {
    const row = findTeam(ctx.store, id, params.teamId)
    if (!row) return
    noteRevocation(ctx.store, id, listTeamUserIds(ctx.store, row.id), ctx.now().toISOString())
    deleteTeam(ctx.store, row.id)
    record(ctx, row, 'team.deleted', by)
  },
})
