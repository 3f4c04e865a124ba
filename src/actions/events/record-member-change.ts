import type { Context } from '../../context.ts'
import type { MemberRow } from '../../store/tables/rows.ts'
import { type Doer, recordEvent } from './record-event.ts'

/** Writes down what is another one now of a member, by field: inside the transaction that changes it. */
export const recordMemberChange = (
  ctx: Context,
  { organization_id: organizationId, user_id: id }: Pick<MemberRow, 'organization_id' | 'user_id'>,
  by: Doer,
  details: Record<string, { before: unknown; after: unknown }>,
): void =>
  recordEvent(ctx.store, {
    action: 'member.updated',
    organizationId,
    ...by,
    target: { kind: 'member', id },
    details,
    at: ctx.now().toISOString(),
  })
