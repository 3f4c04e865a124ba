import { digestId, randomId } from '../../lib/digest.ts'
import { enqueue } from '../../queue/enqueue.ts'
import type { JobOrder } from '../../queue/kinds.ts'
import { cancelJob } from '../../store/events/jobs.ts'
import { insertDelivery, nextDeliveryTime } from '../../store/events/webhook-deliveries.ts'
import { findWebhook, listActiveWebhooks } from '../../store/events/webhooks.ts'
import type { Store } from '../../store/store.ts'
import type { WebhookDeliveryRow } from '../../store/tables/rows.ts'
import type { EventAction, Happening } from './record-event.ts'

/** What webhooks can be told of; `ping` is sent when somebody asks for it. */
export const webhookEvents = [
  'space_updated',
  'space_content_updated',
  'space_gitsync_started',
  'space_gitsync_completed',
  'change_request_opened',
  'change_request_updated',
  'change_request_merged',
  'change_request_archived',
  'review_submitted',
  'comment_created',
  'comment_resolved',
] as const

export type WebhookEvent = (typeof webhookEvents)[number]

const space = ['space_updated'] as const

/** What webhooks are told of when something happened; what is not here is for the audit log alone. */
const told: { readonly [Action in EventAction]?: readonly WebhookEvent[] } = {
  'space.updated': space,
  'space.moved': space,
  'space.transferred': space,
  'space.deleted': space,
  'space.restored': space,
  'space.content_updated': ['space_content_updated'],
  'git_sync.started': ['space_gitsync_started'],
  'git_sync.completed': ['space_gitsync_completed'],
  'change_request.opened': ['change_request_opened'],
  'change_request.updated': ['change_request_updated'],
  'change_request.content_updated': ['change_request_updated'],
  'change_request.merged': ['change_request_merged', 'space_content_updated'],
  'change_request.archived': ['change_request_archived'],
  'review.submitted': ['review_submitted'],
  'comment.created': ['comment_created'],
  'comment.resolved': ['comment_resolved'],
}

/** What webhooks are told of when this happens. */
export const webhookEventsOf = (action: EventAction): readonly WebhookEvent[] => told[action] ?? []

/** Writes down a delivery of the event for every webhook that is to be told of it. Inside a transaction. */
export function queueDeliveries(store: Store, eventId: string, event: Happening): void {
  const kinds = webhookEventsOf(event.action)
  if (kinds.length === 0) return
  for (const webhook of listActiveWebhooks(store, event.organizationId)) {
    const wanted = JSON.parse(webhook.events) as string[]
    for (const [i, kind] of kinds.entries()) {
      if (!wanted.includes('*') && !wanted.includes(kind)) continue
      // Whoever drops what has come before must not take the second kind for it.
      const event_id = i === 0 ? eventId : digestId('event', eventId, kind)
      const payload = payloadOf(event_id, kind, event)
      queueDelivery(store, { webhook_id: webhook.id, event_id, event: kind, payload, created_at: event.at })
    }
  }
}

/** Writes down one delivery, to be sent when those before it were. Inside a transaction. */
export function queueDelivery(
  store: Store,
  row: Omit<Parameters<typeof insertDelivery>[1], 'id'>,
): WebhookDeliveryRow {
  const made = insertDelivery(store, { id: randomId(), ...row })
  scheduleDeliveries(store, row.webhook_id, new Date(row.created_at))
  return made
}

/**
 * Makes the job that sends a webhook what waits for it, when the next of it is due. One job a webhook: a host that hangs
 * holds one place, and each of many webhooks comes to its turn. Inside a transaction.
 */
export function scheduleDeliveries(store: Store, webhookId: string, now: Date): void {
  const next = nextDeliveryTime(store, webhookId)
  if (next === undefined) return
  cancelJob(store, 'deliver-webhook', webhookId)
  const later = Date.parse(next) > now.getTime() ? { runAt: Date.parse(next) } : {}
  const organizationId = findWebhook(store, webhookId)?.organization_id
  const whose = organizationId === undefined ? {} : { organizationId }
  enqueue(store, { ...deliveriesOrder(webhookId), ...later, ...whose }, now)
}

/** The job that sees to what waits for a webhook. */
export const deliveriesOrder = (webhookId: string): JobOrder<'deliver-webhook'> => ({
  kind: 'deliver-webhook',
  payload: { webhookId },
  lane: `webhook ${webhookId}`,
  key: webhookId,
})

/** The body that is signed and sent, as JSON. */
function payloadOf(eventId: string, kind: WebhookEvent, event: Happening): string {
  const { revision, ...details } = event.details ?? {}
  return JSON.stringify({
    ...details,
    ...(revision !== undefined && { revisionId: revision }),
    eventId,
    type: kind,
    action: event.action,
    createdAt: event.at,
    organizationId: event.organizationId,
    ...(event.spaceId !== undefined && { spaceId: event.spaceId }),
    actor: event.userId === null ? null : { id: event.userId },
    target: { type: event.target.kind, id: event.target.id },
  })
}
