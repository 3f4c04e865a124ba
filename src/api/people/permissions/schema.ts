import { z } from 'zod'
import { RoleName, RoleNameOrNull } from '../../../access/role-names.ts'
import { PageQuery } from '../../../http/list.ts'
import type { Role } from '../../../store/tables/roles.ts'
import { SpacePath } from '../../base/paths-schema.ts'
import { User } from '../../base/users/schema.ts'
import { CollectionPath } from '../../spaces/collections/schema.ts'
import { Team } from '../teams/schema.ts'

export const userId = { userId: z.string() }
export const teamId = { teamId: z.string() }

export const spacePaths = {
  target: SpacePath,
  user: SpacePath.extend(userId),
  team: SpacePath.extend(teamId),
}

export const collectionPaths = {
  target: CollectionPath,
  user: CollectionPath.extend(userId),
  team: CollectionPath.extend(teamId),
}

const RoleOrNothing = RoleNameOrNull.meta({
  description:
    'null revokes all access, including that from collections around it, default levels and the role in the organization.',
})

/** The maximum number of users, and of teams, in one request. */
const most = 100

const Ids = z.array(z.string().min(1).max(100)).min(1).max(most)

/** Returns the schemas of the bodies that give roles. */
export const bodiesWith = (role: z.ZodType<Role | null>) => ({
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
    role: role.optional().meta({ description: 'The new value. Default: unchanged.' }),
  }),
})

export const contentBodies = bodiesWith(RoleOrNothing)

export const AggregateQuery = PageQuery.extend({
  role: RoleName.optional().meta({ description: 'Only users with exactly this role.' }),
})

export const UserPermission = z.object({ permission: RoleName, user: User }).meta({
  id: 'UserContentPermission',
  description: 'The role of a user on a space, a collection or a site.',
  sentences: { permission: 'The role.', user: 'The user who has it.' },
})

export const TeamPermission = z.object({ permission: RoleName, team: Team }).meta({
  id: 'TeamContentPermission',
  description: 'The role of a team on a space, a collection or a site.',
  sentences: { permission: 'The role that was given.', team: 'The team that was given it.' },
})
