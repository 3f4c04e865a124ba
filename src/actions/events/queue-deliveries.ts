import { digestId, randomId } from '../../lib/digest.ts'
import { enqueue } from '../../queue/enqueue.ts'
import type { JobOrder } from '../../queue/kinds.ts'
import { cancelJob } from '../../store/events/jobs.ts'
import { insertDelivery, nextDeliveryTime } from '../../store/events/webhook-deliveries.ts'
import { findWebhook, listActiveWebhooks } from '../../store/events/webhooks.ts'
import type { Store } from '../../store/store.ts'
import type { WebhookDeliveryRow } from '../../store/tables/rows.ts'
import type { AuditEvent } from './audit-event.ts'
import { webhookEventsOf } from './webhook-events.ts'
import { payloadOf } from './webhook-payload.ts'

/** Queues a delivery of the event for every subscribed webhook. Call inside a transaction. */
export function queueDeliveries(store: Store, eventId: string, event: AuditEvent): void {
  const kinds = webhookEventsOf(event.action)
  // Who is invited may still decline: 'member.joined' follows when they accept.
  if (kinds.length === 0 || event.target.kind === 'invitation') return

  for (const webhook of listActiveWebhooks(store, event.organizationId)) {
    for (const [i, kind] of kinds.entries()) {
      if (!webhook.events.includes('*') && !webhook.events.includes(kind)) continue
      // Receivers that drop repeats must not drop the second kind.
      const event_id = i === 0 ? eventId : digestId('event', eventId, kind)
      const payload = JSON.stringify(payloadOf(event_id, kind, event))
      queueDelivery(store, {
        webhook_id: webhook.id,
        event_id,
        event: kind,
        payload,
        created_at: event.at,
      })
    }
  }
}

/** Queues one delivery behind the earlier ones. Call inside a transaction. */
export function queueDelivery(
  store: Store,
  row: Omit<Parameters<typeof insertDelivery>[1], 'id'>,
): WebhookDeliveryRow {
  const made = insertDelivery(store, { id: randomId(), ...row })
  scheduleDeliveries(store, row.webhook_id, new Date(row.created_at))
  return made
}

/**
 * Schedules the job that sends a webhook's next delivery when it is due. One job per webhook: a
 * host that hangs occupies one worker slot, and every webhook gets its turn. Call inside a
 * transaction.
 */
export function scheduleDeliveries(store: Store, webhookId: string, now: Date): void {
  const next = nextDeliveryTime(store, webhookId)
  if (next === undefined) return
  cancelJob(store, 'deliver-webhook', webhookId)
  const later = Date.parse(next) > now.getTime() ? { runAt: Date.parse(next) } : {}
  const organizationId = findWebhook(store, webhookId)?.organization_id
  const owner = organizationId === undefined ? {} : { organizationId }
  enqueue(store, { ...deliveriesOrder(webhookId), ...later, ...owner }, now)
}

/** Returns the job that sends a webhook's waiting deliveries. */
export const deliveriesOrder = (webhookId: string): JobOrder<'deliver-webhook'> => ({
  kind: 'deliver-webhook',
  payload: { webhookId },
  lane: `webhook ${webhookId}`,
  key: webhookId,
})
