import { z } from 'zod'
import { listOf } from '../../http/list.ts'
import { oneAddress } from '../../lib/one-address.ts'
import { Collection } from '../collections/schema.ts'
import { OrganizationPath, RoleName } from '../organizations/schema.ts'
import { Space } from '../spaces/schema.ts'
import { User } from '../users/schema.ts'
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
      'For those who have none of their own in `emails`; null for guests. When not said, the role that new members start with (`defaultRole`), "create" at most.',
  }),
  sso: z.boolean().optional().meta({
    description: 'true marks those who are added as coming by single sign-on.',
  }),
})

export const Invited = z.object({
  users: z.array(z.string()).meta({
    description:
      'The people who were added or invited: the id of the user, or of an invitation that they have to accept. Members are left out.',
  }),
  invited: z.int().meta({ description: 'How many people were added or invited.' }),
  failedSSOEmails: z.array(z.string()).optional().meta({
    description:
      'Those who were added, but not marked for single sign-on: their address is of no e-mail domain of the organization.',
  }),
})

const redundant = z.boolean().meta({
  description: 'Whether it would give you nothing new: so for all who may see an invite.',
})

/** After how many days an invitation ends, unless its maker says otherwise, and at most. */
export const inviteDays = 7
export const mostInviteDays = 90

export const LinkInviteFacts = z.object({
  createdBy: User.meta({
    description: 'The link works only while this person could make it.',
  }),
  createdAt: z.string(),
  expiresAt: z.string(),
  maxUses: z.int().optional().meta({ description: 'How many people may use it; any number when absent.' }),
  uses: z.int().meta({ description: 'How many people have used it.' }),
  usedBy: z
    .array(z.object({ user: User, usedAt: z.string() }))
    .meta({ description: 'The people who have used it, newest first; at most 100.' }),
})

const invite = {
  object: z.literal('invite'),
  id: z.string().meta({
    description:
      'In the answer that makes the link, its secret, with which people join; elsewhere the same as `linkId`.',
  }),
  linkId: z.string().meta({
    description: 'Names the link in lists, paths and events. It lets nobody in.',
  }),
  redundant,
  ...LinkInviteFacts.shape,
}

const OrganizationInvite = z.object({ ...invite, role: RoleOrGuest }).meta({ id: 'InviteLinkToOrganization' })

const SpaceInvite = z.object({ ...invite, level: RoleName, space: Space }).meta({ id: 'InviteLinkToSpace' })

const CollectionInvite = z
  .object({ ...invite, level: RoleName, collection: Collection })
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
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .meta({ description: 'When it stops working: 7 days from now by default, 90 days at most.' }),
    maxUses: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .meta({ description: 'How many people may use it; any number by default.' }),
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
