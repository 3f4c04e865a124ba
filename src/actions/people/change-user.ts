import { isLimited } from '../../access/reach.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { updateUser } from '../../store/people/users.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { changedFields } from '../events/changed-fields.ts'
import { recordUserEvent } from '../events/record-event.ts'

/**
 * Changes what a user says about themselves, and records it. Returns the new row. Throws 'forbidden'
 * for a request with a limited token. Call inside a transaction.
 */
export function changeUser(
  ctx: Context,
  user: UserRow,
  set: Partial<Pick<UserRow, 'display_name' | 'photo_url' | 'confirmed_email'>>,
  by: EventActor,
): UserRow {
  if (isLimited(ctx.reach))
    throw new Fault(
      'token_not_accepted',
      'This token is limited to an organization or a space and cannot update its user.',
    )

  const row = updateUser(ctx.store, user.id, set) as UserRow
  const details = changedFields(user, row)
  if (details)
    recordUserEvent(ctx.store, user.id, {
      action: 'user.updated',
      ...by,
      target: { kind: 'user', id: user.id },
      details,
      at: ctx.now().toISOString(),
    })
  return row
}
