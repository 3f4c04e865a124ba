import { digestId, randomId } from '../../lib/digest.ts'
import { enqueue } from '../../queue/enqueue.ts'
import type { JobOrder } from '../../queue/kinds.ts'
import { cancelJob } from '../../store/events/jobs.ts'
import { insertDelivery, nextDeliveryTime } from '../../store/events/webhook-deliveries.ts'
import { findWebhook, listActiveWebhooks } from '../../store/events/webhooks.ts'
import type { Store } from '../../store/store.ts'
import type { WebhookDeliveryRow } from '../../store/tables/rows.ts'
import type { AuditEvent, EventAction } from './audit-event.ts'

/** The events that webhooks can subscribe to; `ping` is only sent on request. */
export const webhookEvents = [
  'space_updated',
  'space_content_updated',
  'space_gitsync_started',
  'space_gitsync_completed',
  'change_request_opened',
  'change_request_updated',
  'change_request_merged',
  'change_request_archived',
  'review_requested',
  'review_submitted',
  'comment_created',
  'comment_resolved',
  'comment_deleted',
  'reply_created',
  'reply_deleted',
  'space_created',
  'space_visibility_updated',
  'site_published',
  'site_unpublished',
  'site_updated',
  'site_structure_updated',
  'openapi_spec_processed',
  'member_joined',
  'member_updated',
  'member_removed',
  'team_created',
  'team_updated',
  'team_deleted',
] as const

type WebhookEvent = (typeof webhookEvents)[number]

const space = ['space_updated'] as const

/**
 * The webhook events of each audited action; actions not listed here appear in the audit log alone.
 */
const eventsByAction: { readonly [Action in EventAction]?: readonly WebhookEvent[] } = {
  'space.created': ['space_created'],
  'space.duplicated': ['space_created'],
  'space.updated': space,
  'space.moved': space,
  'space.transferred': space,
  'space.deleted': space,
  'space.restored': space,
  'space.visibility_updated': ['space_visibility_updated'],
  'space.content_updated': ['space_content_updated'],
  'git_sync.started': ['space_gitsync_started'],
  'git_sync.completed': ['space_gitsync_completed'],
  'change_request.opened': ['change_request_opened'],
  'change_request.updated': ['change_request_updated'],
  'change_request.content_updated': ['change_request_updated'],
  'change_request.merged': ['change_request_merged', 'space_content_updated'],
  'change_request.archived': ['change_request_archived'],
  'reviewer.requested': ['review_requested'],
  'review.submitted': ['review_submitted'],
  'comment.created': ['comment_created'],
  'comment.resolved': ['comment_resolved'],
  'comment.deleted': ['comment_deleted'],
  'reply.created': ['reply_created'],
  'reply.deleted': ['reply_deleted'],
  'site.published': ['site_published'],
  'site.unpublished': ['site_unpublished'],
  'site.updated': ['site_updated'],
  'site.structure_updated': ['site_structure_updated'],
  'openapi_spec.processed': ['openapi_spec_processed'],
  'member.invited': ['member_joined'],
  'member.joined': ['member_joined'],
  'member.updated': ['member_updated'],
  'member.removed': ['member_removed'],
  'team.created': ['team_created'],
  'team.updated': ['team_updated'],
  'team.members_updated': ['team_updated'],
  'team.deleted': ['team_deleted'],
}

/** Returns the webhook events of an audited action. */
export const webhookEventsOf = (action: EventAction): readonly WebhookEvent[] =>
  eventsByAction[action] ?? []

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
      const payload = payloadOf(event_id, kind, event)
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

/** Returns the body that is signed and sent, as JSON. */
function payloadOf(eventId: string, kind: WebhookEvent, event: AuditEvent): string {
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
