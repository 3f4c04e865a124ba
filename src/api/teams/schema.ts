import { z } from 'zod'
import { listOf, PageQuery, QuerySearch } from '../../http/list.ts'
import { oneAddress } from '../../lib/one-address.ts'
import { lineOfText } from '../line-of-text.ts'
import { Member } from '../members/schema.ts'
import { OrganizationPath } from '../organizations/schema.ts'

export const TeamPath = OrganizationPath.extend({ teamId: z.string() })

export const TeamMemberPath = TeamPath.extend({ userId: z.string() })

export const Team = z
  .object({
    object: z.literal('team'),
    id: z.string(),
    title: z.string(),
    members: z.int().meta({ description: 'How many people are in it.' }),
    spaces: z.int().meta({
      description:
        'On how many spaces the team was given a role. What a collection opens to it is not counted.',
    }),
    createdAt: z.string(),
    permissions: z.object({ admin: z.boolean(), view: z.boolean() }),
  })
  .meta({ id: 'OrganizationTeam' })

export const Teams = listOf(Team)

export const TeamsQuery = PageQuery.extend({
  owner: z.string().min(1).max(200).optional().meta({
    description:
      'Only teams that this user (an id) can manage: those they own, and all for an admin of the organization.',
  }),
  title: QuerySearch.optional().meta({
    description: 'Only teams with this text in their title, in whatever case.',
  }),
})

const Title = lineOfText(1, 64)

/** How many people one request may name. */
const most = 1_000

/** The id or e-mail address of a member. */
const Named = z.string().trim().min(1).max(320).overwrite(oneAddress)

export const TeamBody = z.strictObject({
  title: Title,
  members: z.array(Named).max(most).optional().meta({
    description: 'Who is in it from the start: members of the organization (ids or e-mail addresses).',
  }),
})

export const TeamPatch = z.strictObject({ title: Title })

export const TeamRoleName = z.enum(['owner', 'member']).meta({
  description: 'An owner manages the members of the team and its title.',
})

export const TeamMembership = z.object({ role: TeamRoleName }).meta({ id: 'TeamMember' })

export const TeamMembers = listOf(
  z
    .object({
      organization: Member,
      team: TeamMembership,
      permissions: z.object({ view: z.boolean() }),
    })
    .meta({ id: 'OrganizationTeamMember' }),
)

const Names = z.array(Named).max(most)

export const TeamMembersBody = z.strictObject({
  add: Names.optional().meta({
    description: 'Members of the organization (ids or e-mail addresses). Those in the team keep their role.',
  }),
  remove: Names.optional().meta({
    description: 'Those to take out (ids or e-mail addresses), also when they are named to be added.',
  }),
  memberships: z
    .record(Named, z.strictObject({ role: TeamRoleName }))
    .refine(given => Object.keys(given).length <= most, `takes at most ${most} members`)
    .optional()
    .meta({
      description: 'The role of each of these members of the organization (by id), who are added if need be.',
    }),
})

export const TeamMemberBody = z.strictObject({
  role: TeamRoleName.optional().meta({
    description: 'When not said: "member", or what they are in the team already.',
  }),
})
