import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { hasOtherAdmin } from '../../store/people/members.ts'
import type { MemberRow } from '../../store/tables/rows.ts'

/** Throws 'conflict' if the organization would have no admin without this member. */
export function checkNotLastAdmin(ctx: Context, row: MemberRow): void {
  if (row.role !== 'admin' || hasOtherAdmin(ctx.store, row.organization_id, row.user_id)) return
  throw new Fault(
    'last_admin',
    'This is the last admin of the organization. Make another member an admin first.',
  )
}
