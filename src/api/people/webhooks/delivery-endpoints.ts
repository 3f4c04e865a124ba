import { webhook } from '../../../access/guards/webhook.ts'
import { queueDelivery } from '../../../actions/events/queue-deliveries.ts'
import { recordOn } from '../../../actions/events/record-event.ts'
import type { Context } from '../../../context.ts'
import { Fault, missing } from '../../../errors.ts'
import { created, endpoint } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { randomId } from '../../../lib/digest.ts'
import { findDelivery, listDeliveries } from '../../../store/events/webhook-deliveries.ts'
import type { WebhookDeliveryRow, WebhookRow } from '../../../store/tables/rows.ts'
import { presentDelivery } from './present.ts'
import { DeliveriesQuery, DeliveryPath, WebhookDelivery, WebhookPath } from './schema.ts'

const record = recordOn('webhook')

export const listWebhookDeliveries = listing({
  operationId: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook, newest first',
  description:
    'Returns the deliveries of the last thirty days, without their bodies. Requires an admin of the organization.',
  params: WebhookPath,
  query: DeliveriesQuery,
  item: WebhookDelivery,
  access: webhook,
  list: ({ ctx, webhook: row, query: { state } }) => ({
    name: `webhook-deliveries ${row.id} ${state ?? ''}`,
    rows: (limit, before) => listDeliveries(ctx.store, row.id, { state }, limit, before),
    show: rows => rows.map(delivery => presentDelivery(delivery, row, ctx.publicUrl())),
  }),
})

export const getWebhookDelivery = endpoint({
  operationId: 'getWebhookDeliveryById',
  summary: 'Get a delivery of a webhook with its body',
  description:
    'Returns the delivery: `payload` is the body that is sent, and `error` says why the last attempt failed. Requires an admin of the organization.',
  params: DeliveryPath,
  reply: WebhookDelivery,
  access: webhook,
  handle: ({ ctx, webhook: row, params }) =>
    whole(ctx, row, requireDelivery(ctx, row, params.deliveryId)),
})

export const redeliverWebhookDelivery = endpoint({
  operationId: 'redeliverWebhookDelivery',
  summary: 'Redeliver a delivery of a webhook',
  description:
    'Creates a new delivery with the same body and a current signature, and returns it. Requires an admin of the organization.',
  params: DeliveryPath,
  reply: WebhookDelivery,
  status: 202,
  access: webhook,
  write: ({ ctx, webhook: row, params, by }) => {
    checkActive(row)
    const { event_id, event, payload, id } = requireDelivery(ctx, row, params.deliveryId)
    const again = { webhook_id: row.id, event_id, event, payload, redelivery_of: id }
    const at = ctx.now().toISOString()
    const made = queueDelivery(ctx.store, { ...again, created_at: at })
    record(ctx, row, 'webhook.redelivered', by, { delivery: id })
    return created(whole(ctx, row, made))
  },
})

export const pingWebhook = endpoint({
  operationId: 'pingWebhook',
  summary: 'Send a webhook an event of the type "ping"',
  description:
    'Queues an event of the type "ping" for the webhook, to try it out, and returns its delivery. Read the delivery again to see the response of your address. A paused webhook is a 409. Requires an admin of the organization.',
  params: WebhookPath,
  reply: WebhookDelivery,
  status: 202,
  access: webhook,
  write: ({ ctx, webhook: row, user, by }) => {
    checkActive(row)
    const at = ctx.now().toISOString()
    const eventId = randomId()
    const payload = {
      eventId,
      type: 'ping',
      createdAt: at,
      organizationId: row.organization_id,
      actor: { id: user.id },
      target: { type: 'webhook', id: row.id },
    }

    record(ctx, row, 'webhook.pinged', by)
    const ping = { webhook_id: row.id, event_id: eventId, event: 'ping', created_at: at }

    const made = queueDelivery(ctx.store, { ...ping, payload: JSON.stringify(payload) })

    return created(whole(ctx, row, made))
  },
})

function requireDelivery(ctx: Context, row: WebhookRow, id: string): WebhookDeliveryRow {
  const delivery = findDelivery(ctx.store, row.id, id)
  if (!delivery) throw missing('delivery', id)
  return delivery
}

function checkActive(row: WebhookRow): void {
  if (row.active === 1) return
  throw new Fault(
    'webhook_paused',
    'The webhook is paused. Resume it first with PATCH and "active": true.',
  )
}

const whole = (ctx: Context, row: WebhookRow, delivery: WebhookDeliveryRow) => ({
  ...presentDelivery(delivery, row, ctx.publicUrl()),
  payload: JSON.parse(delivery.payload) as Record<string, unknown>,
})
