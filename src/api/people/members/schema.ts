import { z } from 'zod'
import { RoleName, RoleNameOrNull } from '../../../access/role-names.ts'
import { PageQuery, QuerySearch } from '../../../http/list.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { User } from '../../base/users/schema.ts'
import { Space } from '../../spaces/schema.ts'

export const MemberPath = OrganizationPath.extend({ userId: z.string() })

/** A role in an organization; null for a guest, who only sees what is granted to them. */
export const RoleOrGuest = RoleNameOrNull

const inOrganization =
  'The role in the organization; null for a guest, who only sees what is granted to them. It applies to all content that inherits from the organization. Default levels and, before them, grants to the member or their teams take precedence, but never lower "admin" and "create".'

export const Member = z
  .object({
    object: z.literal('member'),
    id: z.string().meta({ description: 'The id of the user.' }),
    role: RoleOrGuest.meta({ description: inOrganization }),
    user: User,
    disabled: z.boolean().meta({
      description:
        'Whether the member is disabled: they have no access, as if they did not belong to the organization.',
    }),
    joinedAt: z.string(),
    lastSeenAt: z.string().optional().meta({
      description:
        'When they last used a token, Git or a page while signed in; recorded once a minute. Tokens of integrations do not count.',
    }),
    sso: z.boolean(),
    spaces: z.int().meta({
      description:
        'The number of spaces on which they, or one of their teams, have a grant. Access through default levels and collections does not count.',
    }),
    sites: z.int().meta({
      description: 'The number of sites on which they, or one of their teams, have a grant.',
    }),
    teams: z.int().meta({ description: 'The number of their teams in the organization.' }),
  })
  .meta({
    id: 'OrganizationMember',
    description: 'A user in an organization, with a role or as a guest.',
    sentences: {
      user: 'The profile of the user.',
      joinedAt: 'The time at which they joined.',
      sso: 'Whether they sign in with single sign-on.',
    },
  })

const Order = z.enum(['asc', 'desc'])

/** A role as lists of people are filtered by it. */
export const QueryRole = z.enum([...RoleName.options, 'guest'])

/** How a list of people is searched and ordered. */
export const PeopleQuery = PageQuery.extend({
  order: Order.optional().meta({ description: 'Default: `desc`, newest first.' }),
  search: QuerySearch.optional().meta({
    description: 'Only members with this text in their name or e-mail address, ignoring case.',
  }),
  sort: z.enum(['joinedAt', 'lastSeenAt', 'name']).optional().meta({
    description:
      'Default: `joinedAt`. With `lastSeenAt`, members who were never seen are left out.',
  }),
})

export const MembersQuery = PeopleQuery.extend({
  role: QueryRole.optional().meta({
    description: 'Only members with exactly this role in the organization.',
  }),
})

export const MemberPatch = z.strictObject({
  role: RoleOrGuest.optional().meta({ description: 'null makes the member a guest.' }),
})

export const Visit = z.object({
  serviceVisitorClaims: z.string().meta({
    description:
      'A signed token (JWT, EdDSA, one hour) that identifies the member: `iss` is this server, `aud` the organization, `sub` the user; further `name`, `email`, `role` and `teams`. Verify it with the organization’s JWKS.',
  }),
  gitbookVisitorClaims: z.string().meta({ description: 'The same token.' }),
})

export const MemberSpacesQuery = PageQuery.extend({
  order: Order.optional().meta({
    description: 'By creation time. Default: `desc`, newest first.',
  }),
})

export const MemberSpace = z
  .object({
    permission: RoleName.meta({ description: 'The role of the member in the space.' }),
    space: Space.meta({ description: 'The space as the caller sees it.' }),
  })
  .meta({ id: 'MemberContentPermission', description: 'The role of a member on a space.' })
