import type { AuditEvent } from '../../../actions/events/audit-event.ts'
import { recordEvent } from '../../../actions/events/record-event.ts'
import type { Context } from '../../../context.ts'
import type { WebhookRow } from '../../../store/tables/rows.ts'

/** Records an event on a webhook, inside the transaction that causes it. */
export const recordOnWebhook = (
  ctx: Context,
  { id, organization_id: organizationId }: Pick<WebhookRow, 'id' | 'organization_id'>,
  happening: Pick<AuditEvent, 'action' | 'userId' | 'origin' | 'details' | 'at'>,
): void => recordEvent(ctx.store, { ...happening, organizationId, target: { kind: 'webhook', id } })
