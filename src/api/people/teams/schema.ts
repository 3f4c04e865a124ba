import { z } from 'zod'
import { PageQuery, QuerySearch } from '../../../http/list.ts'
import { lineOfText } from '../../../lib/line-of-text.ts'
import { oneAddress } from '../../../lib/normalize.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { Member } from '../members/schema.ts'

export const TeamPath = OrganizationPath.extend({ teamId: z.string() })

export const TeamMemberPath = TeamPath.extend({ userId: z.string() })

export const Team = z
  .object({
    object: z.literal('team'),
    id: z.string(),
    title: z.string(),
    members: z.int().meta({ description: 'The number of members.' }),
    spaces: z.int().meta({
      description:
        'The number of spaces on which the team has a grant. Access through collections does not count.',
    }),
    createdAt: z.string(),
    permissions: z.object({ admin: z.boolean(), view: z.boolean() }),
  })
  .meta({
    id: 'OrganizationTeam',
    description: 'A group of members; a role given to a team is given to all of them.',
  })

export const TeamsQuery = PageQuery.extend({
  owner: z.string().min(1).max(200).optional().meta({
    description:
      'Only teams that this user (an id) can manage: those they own, or all for an admin of the organization.',
  }),
  title: QuerySearch.optional().meta({
    description: 'Only teams with this text in their title, ignoring case.',
  }),
})

const Title = lineOfText(1, 64)

/** The maximum number of users in one request. */
const most = 1_000

/** The id or e-mail address of a member. */
const Named = z.string().trim().min(1).max(320).overwrite(oneAddress)

export const TeamBody = z.strictObject({
  title: Title,
  members: z.array(Named).max(most).optional().meta({
    description: 'The initial members: members of the organization (ids or e-mail addresses).',
  }),
})

export const TeamPatch = z.strictObject({ title: Title })

const TeamRoleName = z.enum(['owner', 'member']).meta({
  description: 'An owner manages the members and the title of the team.',
})

export const TeamMembership = z
  .object({ role: TeamRoleName })
  .meta({ id: 'TeamMember', description: 'The role of a member in a team.' })

export const TeamMember = z
  .object({
    organization: Member,
    team: TeamMembership,
    permissions: z.object({ view: z.boolean() }),
  })
  .meta({
    id: 'OrganizationTeamMember',
    description: 'A member of a team.',
    sentences: {
      organization: 'The membership in the organization.',
      team: 'The membership in the team.',
    },
  })

const Names = z.array(Named).max(most)

export const TeamMembersBody = z.strictObject({
  add: Names.optional().meta({
    description:
      'Members of the organization (ids or e-mail addresses). Those already in the team keep their role.',
  }),
  remove: Names.optional().meta({
    description:
      'Users to remove (ids or e-mail addresses), even if they are also listed to be added.',
  }),
  memberships: z
    .record(Named, z.strictObject({ role: TeamRoleName }))
    .refine(given => Object.keys(given).length <= most, `takes at most ${most} members`)
    .optional()
    .meta({
      description:
        'The roles of members of the organization by id; users who are not in the team are added.',
    }),
})

export const TeamMemberBody = z.strictObject({
  role: TeamRoleName.optional().meta({
    description: 'Default: the current role in the team, or "member".',
  }),
})
