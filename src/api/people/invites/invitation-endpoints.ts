import { z } from 'zod'
import { organization } from '../../../access/guards/organization.ts'
import { self } from '../../../access/guards/self.ts'
import { memberWithin, reachesOrganization } from '../../../access/reach.ts'
import { atLeast } from '../../../access/roles.ts'
import { recordOn, recordOnMember } from '../../../actions/events/record-event.ts'
import type { Context } from '../../../context.ts'
import { Fault } from '../../../errors.ts'
import { endpoint, nothing } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import {
  deleteInvitation,
  findInvitation,
  listInvitationsOf,
  listInvitationsOfUser,
} from '../../../store/people/invitations.ts'
import { insertMember } from '../../../store/people/members.ts'
import { findRevocation } from '../../../store/people/revocations.ts'
import type { InvitationRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import {
  InvitationPath,
  OwnInvitation,
  OwnInvitationPath,
  PendingInvitation,
} from './invitation-schema.ts'

const record = recordOn('invitation')

export const listUserInvitations = listing({
  operationId: 'listUserInvitations',
  summary: 'List your invitations to organizations',
  description: 'Returns your pending invitations, newest first.',
  params: z.object({}),
  item: OwnInvitation,
  access: self,
  list: ({ ctx, user }) => ({
    name: `invitations of ${user.id}`,
    rows: (limit, after) =>
      listInvitationsOfUser(ctx.store, user.id, ctx.now().toISOString(), limit, after),
    show: rows =>
      rows
        .filter(row => reachesOrganization(ctx, user.id, row.organization_id))
        .map(row => ({
          ...shared(row),
          organization: { id: row.organization_id, title: row.title },
          urls: { location: `${ctx.publicUrl()}/v1/user/invitations/${row.id}` },
        })),
  }),
})

export const acceptUserInvitation = endpoint({
  operationId: 'acceptUserInvitation',
  summary: 'Accept an invitation to an organization',
  description:
    'Makes you a member or guest with the role of the invitation. An invitation can be accepted until it expires, and as long as its creator is an admin of the organization.',
  params: OwnInvitationPath,
  reply: nothing,
  access: self,
  write: ({ ctx, user, params, by }) => {
    const row = findWithinReach(ctx, user.id, params.invitationId)
    const at = ctx.now().toISOString()
    if (!row || !isValid(ctx, row, at))
      throw new Fault(
        'invite_unusable',
        'There is no such invitation, or it is no longer valid. Ask an admin of the organization for a new one.',
      )

    const { organization_id, role, sso } = row
    const member = { organization_id, user_id: user.id }

    deleteInvitation(ctx.store, organization_id, row.id)
    if (!insertMember(ctx.store, { ...member, role, sso, joined_at: at })) return
    recordOnMember(ctx, member, 'member.joined', by, {
      role,
      by: 'invitation',
      invitation: row.id,
    })
  },
})

export const declineUserInvitation = endpoint({
  operationId: 'declineUserInvitation',
  summary: 'Decline an invitation to an organization',
  description:
    'Deletes the invitation. The operation also succeeds when the invitation does not exist.',
  params: OwnInvitationPath,
  reply: nothing,
  access: self,
  write: ({ ctx, user, params }) => {
    const row = findWithinReach(ctx, user.id, params.invitationId)
    if (row) deleteInvitation(ctx.store, row.organization_id, row.id)
  },
})

export const listOrganizationInvitations = listing({
  operationId: 'listOrganizationInvitations',
  summary: 'List the pending invitations of an organization',
  description:
    'Returns pending invitations of users who belong to another organization, newest first. Requires an admin of the organization.',
  params: OrganizationPath,
  item: PendingInvitation,
  access: organization('admin'),
  list: ({ ctx, organization: { id } }) => ({
    name: `invitations to ${id}`,
    rows: (limit, after) => listInvitationsOf(ctx.store, id, ctx.now().toISOString(), limit, after),
    show: rows =>
      rows.map(row => ({ ...shared(row), email: row.email, createdBy: row.created_by })),
  }),
})

export const deleteOrganizationInvitation = endpoint({
  operationId: 'deleteOrganizationInvitation',
  summary: 'Withdraw an invitation',
  description:
    'Withdraws the invitation. Requires an admin of the organization. The operation also succeeds when the invitation does not exist.',
  params: InvitationPath,
  reply: nothing,
  access: organization('admin'),
  write: ({ ctx, organization: { id }, params, by }) => {
    const row = deleteInvitation(ctx.store, id, params.invitationId)
    if (row) record(ctx, row, 'invite.deleted', by, { role: row.role })
  },
})

/** Returns an invitation of the user within the reach of the request's token. */
function findWithinReach(ctx: Context, userId: string, id: string): InvitationRow | undefined {
  const row = findInvitation(ctx.store, userId, id)
  return row && reachesOrganization(ctx, userId, row.organization_id) ? row : undefined
}

const shared = (row: InvitationRow) =>
  ({
    object: 'invitation',
    id: row.id,
    role: row.role,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }) as const

/**
 * Returns whether an invitation has not expired, its creator could still create it, and it was not
 * revoked since.
 */
function isValid(ctx: Context, row: InvitationRow, now: string): boolean {
  const maker = memberWithin(ctx, row.organization_id, row.created_by)
  const revokedAt = findRevocation(ctx.store, row.organization_id, row.user_id)
  const isRevoked = revokedAt !== undefined && revokedAt >= row.created_at
  return row.expires_at > now && atLeast(maker?.role, 'admin') && !isRevoked
}
