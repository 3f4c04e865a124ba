import { z } from 'zod'
import { roleOnCollection } from '../../access/collection.ts'
import { atLeast } from '../../access/roles.ts'
import { self } from '../../access/self.ts'
import { roleOnSpace } from '../../access/space.ts'
import { recordEvent } from '../../actions/record-event.ts'
import type { Context } from '../../context.ts'
import { forbidden, missing } from '../../errors.ts'
import { atOnce, endpoint } from '../../http/endpoint.ts'
import { digestId } from '../../lib/digest.ts'
import { findCollection } from '../../store/collections.ts'
import { findLinkInvite, useLinkInvite } from '../../store/link-invites.ts'
import { findMembership, insertMember } from '../../store/members.ts'
import { findOrganization } from '../../store/organizations.ts'
import { putPermission } from '../../store/permissions.ts'
import type { LinkInviteRow, UserRow } from '../../store/rows.ts'
import { findSpace } from '../../store/spaces.ts'
import type { Role } from '../../store/tables.ts'
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
      const by = { organizationId: organization.id, userId: user.id, origin: request.origin, at }
      const target = { kind: 'member', id: user.id }
      if (!own) {
        const role = invite.role
        insertMember(ctx.store, { organization_id: organization.id, user_id: user.id, role, joined_at: at })
        const details = { role, by: 'invite', invite: markOf(invite.id) }
        recordEvent(ctx.store, { ...by, action: 'member.joined', target, details })
      }
      const given = give(ctx, invite, user, at)
      if (given) recordEvent(ctx.store, { ...by, action: 'permission.given', ...given })
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

/** Gives the level of an invite on its space or collection; what is to be told of it. */
function give(
  ctx: Context,
  { id, level, space_id, collection_id }: LinkInviteRow,
  user: UserRow,
  at: string,
) {
  const kind = space_id === null ? 'collection' : 'space'
  const targetId = space_id ?? collection_id
  if (level === null || targetId === null) return undefined
  putPermission(ctx.store, {
    target_kind: kind,
    target_id: targetId,
    subject_kind: 'user',
    subject_id: user.id,
    role: level satisfies Role,
    created_at: at,
  })
  return {
    target: { kind, id: targetId },
    ...(space_id !== null && { spaceId: space_id }),
    details: { user: user.id, role: level, invite: markOf(id) },
  }
}
