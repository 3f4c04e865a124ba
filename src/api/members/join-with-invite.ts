import { z } from 'zod'
import { roleOnCollection } from '../../access/collection.ts'
import { atLeast } from '../../access/roles.ts'
import { self } from '../../access/self.ts'
import { roleOnSpace } from '../../access/space.ts'
import type { Target } from '../../access/target.ts'
import { recordEvent } from '../../actions/record-event.ts'
import type { Context } from '../../context.ts'
import { forbidden, missing } from '../../errors.ts'
import { atOnce, endpoint } from '../../http/endpoint.ts'
import { digestId } from '../../lib/digest.ts'
import { findCollection } from '../../store/collections.ts'
import { findLinkInvite, useLinkInvite } from '../../store/link-invites.ts'
import { findMembership, insertMember } from '../../store/members.ts'
import { findOrganization } from '../../store/organizations.ts'
import type { LinkInviteRow, UserRow } from '../../store/rows.ts'
import { findSpace } from '../../store/spaces.ts'
import { give } from '../permissions/give.ts'
import { disabled } from './invite-endpoints.ts'
import { InvitePath } from './invite-schema.ts'

/** What events call an invite: its id lets in whoever knows it, and stays out of logs. */
export const markOf = (inviteId: string): string => digestId('invite', inviteId)

export const joinOrganizationWithInvite = endpoint({
  operationId: 'joinOrganizationWithInvite',
  summary: 'Join an organization with an invite link',
  description:
    'Gives you the role of the invite, or makes you a guest with its level on one space or collection. A link works once for each person: who has left, or was removed, comes back with none that was there then. A member’s role in the organization never changes by an invite; the level on a space or collection is given to a member too, where they have less.',
  params: InvitePath,
  reply: z.object({}),
  access: self,
  handle: ({ ctx, user, params, request }) =>
    atOnce(() => {
      const organization = findOrganization(ctx.store, params.organizationId)
      const invite = organization && findLinkInvite(ctx.store, organization.id, params.inviteId)
      if (!organization || !invite) throw missing('invite', params.inviteId)
      if (organization.invite_links === 0)
        throw forbidden(
          'The organization takes nobody by invite links now. Ask one of its admins to add you.',
        )
      const own = findMembership(ctx.store, organization.id, user.id)
      if (own?.disabled) throw disabled()
      if (own && has(ctx, invite, user)) return {}
      const at = ctx.now().toISOString()
      if (!useLinkInvite(ctx.store, invite.id, user.id, at)) throw missing('invite', params.inviteId)
      const { origin } = request
      if (!own) {
        const role = invite.role
        insertMember(ctx.store, { organization_id: organization.id, user_id: user.id, role, joined_at: at })
        recordEvent(ctx.store, {
          action: 'member.joined',
          organizationId: organization.id,
          userId: user.id,
          origin,
          target: { kind: 'member', id: user.id },
          details: { role, by: 'invite', invite: markOf(invite.id) },
          at,
        })
      }
      const target = targetOf(invite)
      if (invite.level !== null && target)
        give(ctx, target, { kind: 'user', id: user.id }, invite.level, { user, origin })
      return {}
    }),
})

/** True when an invite would give nothing new to a member. */
function has(ctx: Context, invite: LinkInviteRow, user: UserRow): boolean {
  const level = invite.level
  if (level === null) return true
  const space = invite.space_id === null ? undefined : findSpace(ctx.store, invite.space_id)
  if (space) return atLeast(roleOnSpace(ctx, space, user.id), level)
  const collection =
    invite.collection_id === null ? undefined : findCollection(ctx.store, invite.collection_id)
  return collection !== undefined && atLeast(roleOnCollection(ctx, collection, user.id), level)
}

function targetOf({ organization_id, space_id, collection_id }: LinkInviteRow): Target | undefined {
  if (space_id !== null) return { kind: 'space', id: space_id, organizationId: organization_id }
  return collection_id === null
    ? undefined
    : { kind: 'collection', id: collection_id, organizationId: organization_id }
}
