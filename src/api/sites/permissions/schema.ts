import { z } from 'zod'
import { RoleName } from '../../../access/role-names.ts'
import { User } from '../../base/users/schema.ts'
import { PeopleQuery, QueryRole } from '../../people/members/schema.ts'
import { bodiesWith, teamId, userId } from '../../people/permissions/schema.ts'
import { SitePath } from '../schema.ts'

export const sitePaths = {
  target: SitePath,
  user: SitePath.extend(userId),
  team: SitePath.extend(teamId),
}

/** A site has no roles around it: removing a grant revokes access, and null is not a role. */
export const siteBodies = bodiesWith(RoleName.meta({ description: 'The role on the site.' }))

export const SiteHoldersQuery = PeopleQuery.extend({
  role: QueryRole.optional().meta({
    description: 'Only users with exactly this role on the site; `guest` for guests with any role.',
  }),
  team: z.string().max(100).optional().meta({ description: 'Only members of this team (an id).' }),
})

export const SiteUserPermission = z
  .object({
    permission: RoleName,
    disabled: z.literal(false).meta({ description: 'Members who are disabled have no role.' }),
    user: User,
    lastSeenAt: z.string().optional(),
    origin: z.union([
      z.object({ type: z.literal('space'), space: z.string() }),
      z.object({ type: z.literal('organization'), organization: z.string() }),
    ]),
  })
  .meta({
    id: 'UserSitePermission',
    description: 'The role of a user on a site, and where it comes from.',
    sentences: {
      permission: 'The role.',
      user: 'The user who has it.',
      lastSeenAt: 'When the user last used a token, Git or a page while signed in.',
      origin: 'Where the role was given.',
      'origin.space': 'The id of the space.',
    },
  })
