import { z } from 'zod'
import { listOf, PageQuery } from '../../http/list.ts'
import type { Role } from '../../store/tables/roles.ts'
import { CollectionPath } from '../collections/schema.ts'
import { RoleName, RoleNameOrNull } from '../organizations/schema.ts'
import { SitePath } from '../sites/schema.ts'
import { SpacePath } from '../spaces/schema.ts'
import { Team } from '../teams/schema.ts'
import { User } from '../users/schema.ts'

const user = { userId: z.string() }
const team = { teamId: z.string() }

export const spacePaths = {
  target: SpacePath,
  user: SpacePath.extend(user),
  team: SpacePath.extend(team),
}

export const collectionPaths = {
  target: CollectionPath,
  user: CollectionPath.extend(user),
  team: CollectionPath.extend(team),
}

export const sitePaths = {
  target: SitePath,
  user: SitePath.extend(user),
  team: SitePath.extend(team),
}

const RoleOrNothing = RoleNameOrNull.meta({
  description:
    'null revokes all access, including that from collections around it, default levels and the role in the organization.',
})

/** The maximum number of users, and of teams, in one request. */
const most = 100

const Ids = z.array(z.string().min(1).max(100)).min(1).max(most)

/** Returns the schemas of the bodies that give roles. */
const bodiesWith = (role: z.ZodType<Role | null>) => ({
  invite: z
    .strictObject({
      role,
      users: Ids.optional().meta({
        description:
          'Ids of members and guests of the organization. Admins of the organization may list an account that belongs to no organization: it becomes a guest.',
      }),
      teams: Ids.optional().meta({ description: 'Ids of teams of the organization.' }),
    })
    .refine(
      body => body.users !== undefined || body.teams !== undefined,
      'takes "users", "teams" or both',
    ),
  patch: z.strictObject({
    role: role.optional().meta({ description: 'Default: unchanged.' }),
  }),
})

/**
 * On spaces and collections, null revokes access; on sites, which have no roles around them,
 * removing a grant does.
 */
export const contentBodies = bodiesWith(RoleOrNothing)
export const siteBodies = bodiesWith(RoleName)

export const AggregateQuery = PageQuery.extend({
  role: RoleName.optional().meta({ description: 'Only users with exactly this role.' }),
})

export const UserPermissions = listOf(
  z.object({ permission: RoleName, user: User }).meta({ id: 'UserContentPermission' }),
)

export const SiteUserPermissions = listOf(
  z
    .object({
      permission: RoleName,
      user: User,
      origin: z.union([
        z.object({ type: z.literal('space'), space: z.string() }),
        z.object({ type: z.literal('organization'), organization: z.string() }),
      ]),
    })
    .meta({ id: 'UserSitePermission' }),
)

export const TeamPermissions = listOf(
  z.object({ permission: RoleName, team: Team }).meta({ id: 'TeamContentPermission' }),
)
