import type { Context } from '../../context.ts'
import { belongsAnywhere, deleteMember } from '../../store/people/members.ts'
import { revokeTokensOf } from '../../store/people/tokens.ts'
import { endSignIns } from '../../store/sso/signed-in.ts'
import type { MemberRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordOnMember } from '../events/record-event.ts'
import { checkNotLastAdmin } from '../people/check-not-last-admin.ts'

/**
 * Removes a member from the organization, with their tokens from its single sign-on, and all tokens
 * of a user who belongs to no other organization. Throws 'conflict' for the last admin. Call inside
 * a transaction.
 */
export function removeMember(ctx: Context, row: MemberRow, by: EventActor): void {
  checkNotLastAdmin(ctx, row)
  const at = ctx.now().toISOString()
  const { organization_id: organizationId, user_id: userId, role } = row

  deleteMember(ctx.store, organizationId, userId, at)
  const ended = endSignIns(ctx.store, { organizationId, userId }, at)
  const revoked = belongsAnywhere(ctx.store, userId) ? 0 : revokeTokensOf(ctx.store, userId, at)

  recordOnMember(ctx, row, 'member.removed', by, { role, tokensRevoked: ended + revoked })
}
