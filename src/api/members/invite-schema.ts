import { z } from 'zod'
import { listOf } from '../../http/list.ts'
import { oneAddress } from '../../lib/one-address.ts'
import { Collection } from '../collections/schema.ts'
import { OrganizationPath, RoleName } from '../organizations/schema.ts'
import { Space } from '../spaces/schema.ts'
import { RoleOrGuest } from './schema.ts'

export const InvitePath = OrganizationPath.extend({ inviteId: z.string() })

const Email = z
  .string()
  .trim()
  .max(254)
  .regex(
    /^[^\s<>@\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]+@[^\s<>@\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]+$/u,
    'takes an e-mail address such as ada@example.org',
  )
  .overwrite(oneAddress)

export const Invitation = z.strictObject({
  emails: z
    .array(
      z.union([Email, z.strictObject({ email: Email, role: RoleOrGuest })], {
        error: 'takes an e-mail address, or {"email", "role"}',
      }),
    )
    .min(1)
    .max(100),
  role: RoleOrGuest.optional().meta({
    description:
      'For those who have none of their own in `emails`; null for guests. When not said, what the organization gives to members by default (`defaultRole`), "create" at most.',
  }),
  sso: z.boolean().optional().meta({
    description: 'true marks those who are added as coming by single sign-on.',
  }),
})

export const Invited = z.object({
  users: z
    .array(z.string())
    .meta({ description: 'Those who were added (ids). Who was a member is not in it.' }),
  invited: z.int().meta({ description: 'How many were added.' }),
  failedSSOEmails: z.array(z.string()).optional().meta({
    description:
      'Those who were added, but not marked for single sign-on: their address is of no e-mail domain of the organization.',
  }),
})

const redundant = z.boolean().meta({
  description: 'Whether it would give you nothing new: so for all who may see an invite.',
})

const OrganizationInvite = z
  .object({ object: z.literal('invite'), id: z.string(), role: RoleOrGuest, redundant })
  .meta({ id: 'InviteLinkToOrganization' })

const SpaceInvite = z
  .object({ object: z.literal('invite'), id: z.string(), level: RoleName, redundant, space: Space })
  .meta({ id: 'InviteLinkToSpace' })

const CollectionInvite = z
  .object({ object: z.literal('invite'), id: z.string(), level: RoleName, redundant, collection: Collection })
  .meta({ id: 'InviteLinkToCollection' })

export const LinkInvite = z
  .union([OrganizationInvite, SpaceInvite, CollectionInvite])
  .meta({ id: 'OrganizationInviteLink' })

export const LinkInvites = listOf(
  OrganizationInvite.extend({
    role: RoleOrGuest.meta({ description: 'null also with `level`: who comes with it becomes a guest.' }),
    level: RoleName.optional(),
    space: Space.optional(),
    collection: Collection.optional(),
  }).meta({ id: 'ListedInvite' }),
)

const combinations = 'takes "role", or "level" with "space" or "collection"'

export const LinkInviteBody = z
  .strictObject({
    role: RoleOrGuest.optional().meta({
      description: 'Invites to the organization, with this role in it; null for guests.',
    }),
    level: RoleName.optional().meta({
      description: 'Invites to one space or collection, with this role there.',
    }),
    space: z.string().optional().meta({ description: 'A space of the organization (an id).' }),
    collection: z.string().optional().meta({ description: 'A collection of the organization (an id).' }),
  })
  .refine(
    ({ role, level, space, collection }) =>
      level === undefined
        ? role !== undefined && space === undefined && collection === undefined
        : role === undefined && (space === undefined) !== (collection === undefined),
    combinations,
  )

export const LinkInvitePatch = z
  .strictObject({ role: RoleOrGuest.optional(), level: RoleName.optional() })
  .refine(({ role, level }) => (role === undefined) !== (level === undefined), 'takes "role" or "level"')
