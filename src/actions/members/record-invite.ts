import type { Context } from '../../context.ts'
import type { LinkInviteRow } from '../../store/tables/rows.ts'
import type { EventAction, EventActor } from '../events/audit-event.ts'
import { recordEvent } from '../events/record-event.ts'

/** Records an event of an invite; by default, its details say what it gives. */
export const recordInvite = (
  ctx: Context,
  row: LinkInviteRow,
  action: EventAction,
  by: EventActor,
  details: Record<string, unknown> = {
    ...(row.level === null ? { role: row.role } : { level: row.level }),
    ...(row.space_id !== null && { space: row.space_id }),
    ...(row.collection_id !== null && { collection: row.collection_id }),
  },
): void =>
  recordEvent(ctx.store, {
    action,
    organizationId: row.organization_id,
    ...by,
    target: { kind: 'invite', id: row.id },
    ...(row.space_id !== null && { spaceId: row.space_id }),
    details,
    at: ctx.now().toISOString(),
  })
