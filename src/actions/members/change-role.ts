import { atLeast } from '../../access/roles.ts'
import type { Context } from '../../context.ts'
import { updateMember } from '../../store/people/members.ts'
import { noteRevocation } from '../../store/people/revocations.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { MemberRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordOnMember } from '../events/record-event.ts'
import { checkNotLastAdmin } from '../people/check-not-last-admin.ts'

/**
 * Gives a member another role in the organization; null makes them a guest. Returns the new row.
 * Throws 'conflict' for the last admin. Call inside a transaction.
 */
export function changeRole(
  ctx: Context,
  before: MemberRow,
  role: Role | null,
  by: EventActor,
): MemberRow {
  if (role === before.role) return before
  if (role !== 'admin') checkNotLastAdmin(ctx, before)
  const { organization_id: id, user_id: userId } = before
  const row = updateMember(ctx.store, id, userId, { role }) as MemberRow
  if (before.role && !atLeast(role, before.role))
    noteRevocation(ctx.store, id, [userId], ctx.now().toISOString())
  recordOnMember(ctx, row, 'member.updated', by, { role: { before: before.role, after: role } })
  return row
}
