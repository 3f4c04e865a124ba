import { z } from 'zod'
import { self } from '../../../access/guards/self.ts'
import { findInvited, joinWithInvite, unusable } from '../../../actions/members/join-with-invite.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { InvitePath } from './schema.ts'

export const joinOrganizationWithInvite = endpoint({
  operationId: 'joinOrganizationWithInvite',
  summary: 'Join an organization with an invite link',
  description:
    'Gives you the role of the invite in the organization, or makes you a guest with the level of the invite on one space or collection. The path contains the secret of the link, from the answer that created the link; `urls.app` of that answer is a page with which people can do the same. Each user can use a link once, until the link expires or is used up, and as long as its creator has the right to create it. A link does not work for users who left or were removed, or lost a role in the organization, after the link was created, nor for users whose access was revoked with a grant of null. The role of an existing member stays unchanged; a lower level on the space or collection is raised.',
  params: InvitePath,
  reply: z.object({}),
  access: self,
  write: ({ ctx, user, params, by }) => {
    const invited = findInvited(ctx, params.inviteId, params.organizationId)
    if (!invited) throw unusable()
    joinWithInvite(ctx, invited, user, by)
    return {}
  },
})
