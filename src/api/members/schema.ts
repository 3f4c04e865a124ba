import { z } from 'zod'
import { listOf, PageQuery, QuerySearch } from '../../http/list.ts'
import { OrganizationPath, RoleName, RoleNameOrNull } from '../organizations/schema.ts'
import { Space } from '../spaces/schema.ts'
import { User } from '../users/schema.ts'

export const MemberPath = OrganizationPath.extend({ userId: z.string() })

/** A role in an organization; null for a guest, who sees only what is given to them. */
export const RoleOrGuest = RoleNameOrNull

const inOrganization =
  'The role in the organization; null for a guest, who sees only what is given to them. It applies to all content that inherits from the organization. A default level, and before it a grant to the member or their teams, says otherwise; "admin" and "create" are never lowered.'

export const Member = z
  .object({
    object: z.literal('member'),
    id: z.string().meta({ description: 'That of the user.' }),
    role: RoleOrGuest.meta({ description: inOrganization }),
    user: User,
    disabled: z
      .boolean()
      .meta({ description: 'true: may not come in, as if they did not belong to the organization.' }),
    joinedAt: z.string(),
    lastSeenAt: z.string().optional().meta({
      description: 'When their client last said that they are here; written at most once a minute.',
    }),
    sso: z.boolean(),
    spaces: z.int().meta({
      description:
        'On how many spaces they, or one of their teams, were given a role. What a default level or a collection opens to them is not counted.',
    }),
    teams: z.int().meta({ description: 'In how many teams of the organization they are.' }),
  })
  .meta({ id: 'OrganizationMember' })

export const Members = listOf(Member)

const Order = z.enum(['asc', 'desc'])

export const MembersQuery = PageQuery.extend({
  order: Order.optional().meta({ description: 'By time: `desc`, newest first, when not said.' }),
  role: z
    .enum([...RoleName.options, 'guest'])
    .optional()
    .meta({ description: 'Only those with exactly this role in the organization.' }),
  search: QuerySearch.optional().meta({
    description: 'Only those with this text in their name or e-mail address, in whatever case.',
  }),
  sort: z.enum(['joinedAt', 'lastSeenAt']).optional().meta({
    description: '`joinedAt` when not said. With `lastSeenAt`, only those who were ever seen are listed.',
  }),
})

export const MemberPatch = z.strictObject({
  role: RoleOrGuest.optional().meta({ description: 'null makes a guest of them.' }),
})

export const Visit = z.object({
  serviceVisitorClaims: z.string().meta({
    description:
      'A signed token (JWT, EdDSA, one hour) that says who this member is: `iss` is this server, `aud` the organization, `sub` the user; `name`, `email`, `role` and `teams`. The key to check it with is in the organization’s JWKS.',
  }),
  gitbookVisitorClaims: z.string().meta({ description: 'The same.' }),
})

export const MemberSpacesQuery = PageQuery.extend({
  order: Order.optional().meta({
    description: 'By when they were made: `desc`, newest first, when not said.',
  }),
})

export const MemberSpaces = listOf(
  z
    .object({
      permission: RoleName.meta({ description: 'The role of the member in the space.' }),
      space: Space.meta({ description: 'As the one who asks sees it.' }),
    })
    .meta({ id: 'MemberContentPermission' }),
)
