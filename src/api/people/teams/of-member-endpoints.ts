import { z } from 'zod'
import { memberOf } from '../../../access/guards/member.ts'
import { listing, PageQuery, QuerySearch } from '../../../http/list.ts'
import { listTeamsOfMember } from '../../../store/people/members.ts'
import { MemberPath } from '../members/schema.ts'
import { loadTeams } from './load.ts'
import { Team, TeamMembership } from './schema.ts'

const MemberTeamsQuery = PageQuery.extend({
  title: QuerySearch.optional().meta({
    description: 'Only teams with this text in their title, ignoring case.',
  }),
})

export const listTeamsForOrganizationMember = listing({
  operationId: 'listTeamsForOrganizationMember',
  summary: 'List the teams of a member of an organization',
  description:
    'Returns the teams oldest first, each with the role of the member in it. Guests can only list their own teams.',
  params: MemberPath,
  query: MemberTeamsQuery,
  item: z.object({ team: Team, member: TeamMembership }),
  access: memberOf('guest'),
  list: ({ ctx, organization: { id }, member, subject: { user_id }, query: { title } }) => ({
    name: `member teams ${id} ${user_id} ${JSON.stringify({ title })}`,
    rows: (limit, after) => listTeamsOfMember(ctx.store, id, user_id, title, limit, after),
    show: rows => {
      // A guest knows their own teams, but may not view them.
      const guest = member.role === null && { permissions: { admin: false, view: false } }
      const teams = loadTeams(ctx, rows, member)
      return rows.flatMap(({ own_role: role }, index) => {
        const team = teams[index]
        return team ? [{ team: { ...team, ...guest }, member: { role } }] : []
      })
    },
  }),
})
