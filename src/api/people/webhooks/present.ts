import type { z } from 'zod'
import type { WebhookDeliveryRow, WebhookRow } from '../../../store/tables/rows.ts'
import type { Webhook, WebhookDelivery } from './schema.ts'

const address = ({ organization_id, id }: WebhookRow, base: string) =>
  `${base}/v1/orgs/${encodeURIComponent(organization_id)}/webhooks/${id}`

/** Returns a webhook as the API shows it, never with its secret. */
export const presentWebhook = (row: WebhookRow, base: string): z.input<typeof Webhook> => ({
  object: 'webhook',
  id: row.id,
  url: row.url,
  events: row.events,
  active: row.active === 1,
  ...(row.failing_since !== null && { failingSince: row.failing_since }),
  ...(row.former_until !== null &&
    Date.parse(row.former_until) > Date.now() && { previousSecretUntil: row.former_until }),
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  urls: { location: address(row, base) },
})

/** Returns a delivery of a webhook, as in lists. */
export const presentDelivery = (
  row: WebhookDeliveryRow,
  webhook: WebhookRow,
  base: string,
): z.input<typeof WebhookDelivery> => ({
  object: 'webhook-delivery',
  id: row.id,
  webhook: row.webhook_id,
  event: row.event,
  eventId: row.event_id,
  state: row.state,
  attempts: row.attempts,
  ...(row.status_code !== null && { statusCode: row.status_code }),
  ...(row.error !== null && { error: row.error }),
  ...(row.redelivery_of !== null && { redeliveryOf: row.redelivery_of }),
  createdAt: row.created_at,
  ...(row.attempted_at !== null && { attemptedAt: row.attempted_at }),
  ...(row.next_attempt_at !== null && { nextAttemptAt: row.next_attempt_at }),
  urls: { location: `${address(webhook, base)}/deliveries/${row.id}` },
})
