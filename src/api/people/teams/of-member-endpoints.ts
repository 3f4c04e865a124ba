import { z } from 'zod'
import { memberOf } from '../../../access/guards/member.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { envelope, listOf, PageQuery, pageOf, QuerySearch } from '../../../http/list.ts'
import { listTeamsOfMember } from '../../../store/people/members.ts'
import { MemberPath } from '../members/schema.ts'
import { loadTeams } from './load.ts'
import { Team, TeamMembership } from './schema.ts'

const MemberTeamsQuery = PageQuery.extend({
  title: QuerySearch.optional().meta({
    description: 'Only teams with this text in their title, ignoring case.',
  }),
})

const MemberTeams = listOf(z.object({ team: Team, member: TeamMembership }))

export const listTeamsForOrganizationMember = endpoint({
  operationId: 'listTeamsForOrganizationMember',
  summary: 'List the teams of a member of an organization',
  description:
    'Oldest first, with the member’s role in each. Guests can only list their own teams.',
  params: MemberPath,
  query: MemberTeamsQuery,
  reply: MemberTeams,
  access: memberOf('guest'),
  handle: async ({ ctx, organization: { id }, member, subject: { user_id }, query }) => {
    const { title } = query
    const page = await pageOf(
      ctx,
      `member teams ${id} ${user_id} ${JSON.stringify({ title })}`,
      query,
      (limit, after: [number] | undefined) =>
        listTeamsOfMember(ctx.store, id, user_id, title, limit, after?.[0]),
      (row): [number] => [row.seq],
    )

    // A guest knows their own teams, but may not view them.
    const guest = member.role === null && { permissions: { admin: false, view: false } }
    const teams = loadTeams(ctx, page.rows, member)

    return envelope(
      page,
      page.rows.flatMap(({ own_role: role }, index) => {
        const team = teams[index]
        return team ? [{ team: { ...team, ...guest }, member: { role } }] : []
      }),
    )
  },
})
