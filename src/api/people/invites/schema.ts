import { z } from 'zod'
import { RoleName } from '../../../access/role-names.ts'
import { EmailAddress } from '../../../lib/line-of-text.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { User } from '../../base/users/schema.ts'
import { Collection } from '../../spaces/collections/schema.ts'
import { Space } from '../../spaces/schema.ts'
import { RoleOrGuest } from '../members/schema.ts'

export const InvitePath = OrganizationPath.extend({ inviteId: z.string() })

export const Invitation = z.strictObject({
  emails: z
    .array(
      z.union(
        [
          EmailAddress,
          z.strictObject({
            email: EmailAddress.meta({ description: 'The e-mail address.' }),
            role: RoleOrGuest.meta({ description: 'The role of this user; null for a guest.' }),
          }),
        ],
        {
          error: 'takes an e-mail address, or {"email", "role"}',
        },
      ),
    )
    .min(1)
    .max(100)
    .meta({ description: 'The e-mail addresses, 1 to 100, each alone or with a role.' }),
  role: RoleOrGuest.optional().meta({
    description:
      'The role of users for whom `emails` has no role; null for guests. Default: the role for new members (`defaultRole`), at most "create".',
  }),
  sso: z.boolean().optional().meta({
    description: 'true marks added users as single sign-on members.',
  }),
})

export const Invited = z.object({
  users: z.array(z.string()).meta({
    description:
      'The users who were added or invited: the id of the user, or of an invitation that they have to accept. Existing members are left out.',
  }),
  invited: z.int().meta({ description: 'The number of users who were added or invited.' }),
  failedSSOEmails: z.array(z.string()).optional().meta({
    description:
      'Users who were added but not marked for single sign-on, because their address is not in an e-mail domain of the organization.',
  }),
})

const redundant = z.boolean().meta({
  description:
    'Whether it would give you nothing new; always true for callers who may see an invite.',
})

export const LinkInviteFacts = z.object({
  createdBy: User.meta({
    description: 'The link works only while this user could create it.',
  }),
  createdAt: z.string(),
  expiresAt: z.string(),
  maxUses: z
    .int()
    .optional()
    .meta({ description: 'The maximum number of uses; unlimited when left out.' }),
  uses: z.int().meta({ description: 'The number of users who have used it.' }),
  usedBy: z
    .array(z.object({ user: User, usedAt: z.string() }))
    .meta({ description: 'The users who have used it, most recent first; at most 100.' }),
})

const invite = {
  object: z.literal('invite'),
  id: z.string().meta({
    description:
      'In the answer that creates the link: its secret, with which users join. Elsewhere the same as `linkId`.',
  }),
  linkId: z.string().meta({
    description: 'Identifies the link in lists, paths and events. It cannot be used to join.',
  }),
  redundant,
  ...LinkInviteFacts.shape,
  urls: z.object({
    location: z.string(),
    app: z.string().optional().meta({
      description:
        'The page on which people join, with or without an account. Only in the answer that creates the link, because it contains the secret.',
    }),
  }),
}

const OrganizationInvite = z.object({ ...invite, role: RoleOrGuest }).meta({
  id: 'InviteLinkToOrganization',
  description: 'A link with which people join an organization.',
  sentences: {
    'usedBy.user': 'The user who joined.',
    'usedBy.usedAt': 'The time at which they joined.',
    role: 'The role in the organization that it gives; null makes guests.',
  },
})

const SpaceInvite = z.object({ ...invite, level: RoleName, space: Space }).meta({
  id: 'InviteLinkToSpace',
  description: 'A link with which people get a role on a space.',
  sentences: {
    'usedBy.user': 'The user who joined.',
    'usedBy.usedAt': 'The time at which they joined.',
    level: 'The role that it gives on the space.',
    space: 'The space that it gives a role on.',
  },
})

const CollectionInvite = z.object({ ...invite, level: RoleName, collection: Collection }).meta({
  id: 'InviteLinkToCollection',
  description: 'A link with which people get a role on a collection.',
  sentences: {
    'usedBy.user': 'The user who joined.',
    'usedBy.usedAt': 'The time at which they joined.',
    level: 'The role that it gives on the collection.',
    collection: 'The collection that it gives a role on.',
  },
})

export const LinkInvite = z.union([OrganizationInvite, SpaceInvite, CollectionInvite]).meta({
  id: 'OrganizationInviteLink',
  description:
    'A link with which people join an organization, or get a role on a space or collection.',
})

export const ListedInvite = OrganizationInvite.extend({
  role: RoleOrGuest.meta({ description: 'null also with `level`: new users become guests.' }),
  level: RoleName.optional(),
  space: Space.optional(),
  collection: Collection.optional(),
}).meta({
  id: 'ListedInvite',
  description: 'A link with which people join, as lists show it.',
  sentences: {
    'usedBy.user': 'The user who joined.',
    'usedBy.usedAt': 'The time at which they joined.',
    level:
      'The role that it gives on the space or collection; left out for a link to the organization.',
    space: 'The space that it gives a role on.',
    collection: 'The collection that it gives a role on.',
  },
})

export const LinkInvitePatch = z
  .strictObject({
    role: RoleOrGuest.optional().meta({
      description:
        'The role in the organization; null makes guests. For a link to the organization.',
    }),
    level: RoleName.optional().meta({
      description: 'The role on the space or collection. For a link to one.',
    }),
  })
  .refine(
    ({ role, level }) => (role === undefined) !== (level === undefined),
    'takes "role" or "level"',
  )
