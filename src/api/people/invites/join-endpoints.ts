import { z } from 'zod'
import { self } from '../../../access/guards/self.ts'
import { findInvited, joinWithInvite, unusable } from '../../../actions/members/join-with-invite.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { InvitePath } from './schema.ts'

export const joinOrganizationWithInvite = endpoint({
  operationId: 'joinOrganizationWithInvite',
  summary: 'Join an organization with an invite link',
  description:
    'Gives you the role of the invite, or makes you a guest with its level on one space or collection. The path contains the secret from the answer that created the link, whose `urls.app` is a page that does the same. A link works once for each user, until it expires or is used up, and only while its creator could create it. It does not work for users who left or were removed, or who lost a grant in the organization, after it was created, nor for users who are shut out (a grant of null). An invite never changes the role of an existing member; members with a lower level on the space or collection get the higher one.',
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
