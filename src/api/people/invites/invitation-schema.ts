import { z } from 'zod'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { RoleOrGuest } from '../members/schema.ts'

export const InvitationPath = OrganizationPath.extend({ invitationId: z.string() })

export const OwnInvitationPath = z.object({ invitationId: z.string() })

const shared = {
  object: z.literal('invitation'),
  id: z.string(),
  role: RoleOrGuest,
  createdAt: z.string(),
  expiresAt: z.string(),
}

export const OwnInvitation = z
  .object({
    ...shared,
    organization: z.object({ id: z.string(), title: z.string() }),
    urls: z.object({ location: z.string() }),
  })
  .meta({
    id: 'UserInvitation',
    description: 'An invitation to an organization, as the invited user sees it.',
    sentences: {
      role: 'The role that it gives; null makes a guest.',
      organization: 'The organization that invites.',
      'organization.id': 'The id of the organization.',
    },
  })

export const PendingInvitation = z
  .object({
    ...shared,
    email: z.string().meta({ description: 'The address as written in the invitation.' }),
    createdBy: z.string().meta({ description: 'The admin who created the invitation (an id).' }),
  })
  .meta({
    id: 'OrganizationInvitation',
    description: 'An invitation of an existing user, who has to accept it, as admins see it.',
    sentences: { role: 'The role that it gives; null makes a guest.' },
  })
