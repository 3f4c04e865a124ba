import { createHmac } from 'node:crypto'
import type { Context } from '../../context.ts'
import { postBytes, type Sent } from '../../net/post-bytes.ts'
import { findDelivery, nextDelivery, updateDelivery } from '../../store/events/webhook-deliveries.ts'
import { findWebhook, updateWebhook } from '../../store/events/webhooks.ts'
import type { WebhookDeliveryRow, WebhookRow } from '../../store/tables/rows.ts'
import { mayDestroy } from '../may-destroy.ts'
import { outgoingRoute } from '../outgoing-route.ts'
import { giveUpAll } from './abandon-deliveries.ts'
import { scheduleDeliveries } from './queue-deliveries.ts'
import { recordEvent } from './record-event.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** How long it waits before each further try; after the last one it is given up. */
const waits = [
  10 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  12 * hour,
  24 * hour,
] as const

/** A webhook is paused when nothing has arrived for this long. */
const patienceMs = 7 * 24 * hour

/**
 * Returns the value of the header Stemma-Signature: the time, and for each secret, that of now first, the HMAC-SHA256 of
 * "<time>.<body>" with it.
 */
export function signatureOf(secrets: readonly string[], body: string, at: Date): string {
  const time = Math.floor(at.getTime() / 1000)
  const signed = secrets.map(secret => createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
  return [`t=${time}`, ...signed.map(hex => `v1=${hex}`)].join(',')
}

/** The secrets that a webhook signs with at a time. Throws when that of now cannot be read. */
function secretsOf(ctx: Context, { sealed, former_sealed, former_until }: WebhookRow, at: Date): string[] {
  const secrets = [ctx.keys.open(sealed)]
  if (former_sealed !== null && former_until !== null && former_until > at.toISOString())
    secrets.push(ctx.keys.open(former_sealed))
  return secrets
}

/**
 * Sends a webhook the oldest delivery that is due, once, and says when the next one is. A server that ends between sending
 * and writing sends it again: receivers tell repeats by `eventId`. Throws when the signal says stop.
 */
export async function deliverWebhook(ctx: Context, webhookId: string, signal: AbortSignal): Promise<void> {
  const webhook = findWebhook(ctx.store, webhookId)
  if (!webhook) return
  const delivery = nextDelivery(ctx.store, webhookId, ctx.now().toISOString())
  if (!delivery || !webhook.active) return plan(ctx, webhookId)
  const sent = await send(ctx, webhook, delivery, signal)
  if (signal.aborted && !sent.ok) throw new Error('The server ends.')
  await plan(ctx, webhookId, () => note(ctx, delivery, sent))
}

/** Sees to what waits once `work` is done, with it; what waits for a webhook that is paused is given up. */
async function plan(ctx: Context, webhookId: string, work = () => {}): Promise<void> {
  const paused = ctx.store.transact(() => {
    work()
    const webhook = findWebhook(ctx.store, webhookId)
    if (webhook?.active) scheduleDeliveries(ctx.store, webhookId, ctx.now())
    return webhook?.active === 0
  })
  if (paused) await giveUpAll(ctx, webhookId)
}

async function send(
  ctx: Context,
  webhook: WebhookRow,
  { id, event, payload }: WebhookDeliveryRow,
  signal: AbortSignal,
): Promise<Sent> {
  const now = ctx.now()
  let secrets: string[]
  try {
    secrets = secretsOf(ctx, webhook, now)
  } catch {
    return { ok: false, error: 'The secret cannot be read any more: send the webhook a new one.' }
  }
  const headers = {
    'content-type': 'application/json',
    'stemma-event': event,
    'stemma-delivery': id,
    'stemma-signature': signatureOf(secrets, payload, now),
  }
  const route = outgoingRoute(ctx, { organization: webhook.organization_id })
  return postBytes(new URL(webhook.url), Buffer.from(payload), headers, route, signal)
}

/** Writes down how an attempt went, and when the next one is. Inside a transaction. */
function note(ctx: Context, delivery: WebhookDeliveryRow, sent: Sent): void {
  const webhook = findWebhook(ctx.store, delivery.webhook_id)
  if (!webhook) return
  const now = ctx.now()
  const attempted_at = now.toISOString()
  const status_code = sent.status ?? null
  const attempts = delivery.attempts + 1
  const tried = { attempts, attempted_at, status_code }
  if (sent.ok) {
    updateDelivery(ctx.store, delivery.id, { ...tried, state: 'success', error: null, next_attempt_at: null })
    if (webhook.failing_since !== null) updateWebhook(ctx.store, webhook.id, { failing_since: null })
    return
  }
  // Given up while it was under way, it is not tried again.
  const waiting = findDelivery(ctx.store, webhook.id, delivery.id)?.state === 'waiting'
  const wait = waiting ? waits[attempts - 1] : undefined
  updateDelivery(ctx.store, delivery.id, {
    ...tried,
    error: sent.error,
    ...(wait === undefined
      ? { state: 'failure', next_attempt_at: null }
      : { next_attempt_at: new Date(now.getTime() + wait).toISOString() }),
  })
  const since = webhook.failing_since ?? attempted_at
  if (webhook.failing_since === null) updateWebhook(ctx.store, webhook.id, { failing_since: since })
  const isOver = now.getTime() - Date.parse(since) >= patienceMs
  // What waits for a webhook is given up when it is paused.
  if (isOver && mayDestroy(ctx, 'failing webhooks')) pause(ctx, webhook, attempted_at)
}

function pause(ctx: Context, { id, organization_id: organizationId }: WebhookRow, at: string): void {
  updateWebhook(ctx.store, id, { active: 0, updated_at: at })
  recordEvent(ctx.store, {
    action: 'webhook.updated',
    organizationId,
    userId: null,
    origin: null,
    target: { kind: 'webhook', id },
    details: { changed: ['active'], active: { from: true, to: false }, failing: true },
    at,
  })
}
