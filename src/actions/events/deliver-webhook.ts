import { createHmac } from 'node:crypto'
import type { Context } from '../../context.ts'
import { postBytes, type Sent } from '../../net/post-bytes.ts'
import type { JobAttempt } from '../../queue/kinds.ts'
import {
  findDelivery,
  nextDelivery,
  updateDelivery,
} from '../../store/events/webhook-deliveries.ts'
import { findWebhook, updateWebhook } from '../../store/events/webhooks.ts'
import type { WebhookDeliveryRow, WebhookRow } from '../../store/tables/rows.ts'
import { mayDestroy } from '../may-destroy.ts'
import { outgoingRoute } from '../outgoing-route.ts'
import { abandonAll } from './abandon-deliveries.ts'
import { withAddress } from './address-of-event.ts'
import { scheduleDeliveries } from './queue-deliveries.ts'
import { recordEvent } from './record-event.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Delay before each retry; after the last one the delivery is abandoned. */
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

/** A webhook is paused when every delivery has failed for this long. */
const patienceMs = 7 * 24 * hour

/**
 * Returns the value of the Stemma-Signature header: the time, and an HMAC-SHA256 of "<time>.<body>"
 * for each secret, the current one first.
 */
function signatureOf(secrets: readonly string[], body: string, at: Date): string {
  const time = Math.floor(at.getTime() / 1000)
  const signed = secrets.map(secret =>
    createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'),
  )
  return [`t=${time}`, ...signed.map(hex => `v1=${hex}`)].join(',')
}

/**
 * Returns the secrets that a webhook signs with at a time. Throws if the current one cannot be
 * unsealed.
 */
function secretsOf(
  ctx: Context,
  { sealed, former_sealed, former_until }: WebhookRow,
  at: Date,
): string[] {
  const secrets = [ctx.keys.open('webhook', sealed)]
  if (former_sealed !== null && former_until !== null && former_until > at.toISOString())
    secrets.push(ctx.keys.open('webhook', former_sealed))
  return secrets
}

/**
 * Sends the oldest due delivery of a webhook once and schedules the next. A server that stops
 * between sending and recording sends it again: receivers recognise repeats by `eventId`. Throws if
 * the signal aborts.
 */
export async function deliverWebhook(
  ctx: Context,
  webhookId: string,
  { signal, checkLease }: Omit<JobAttempt, 'attempt'>,
): Promise<void> {
  const webhook = findWebhook(ctx.store, webhookId)
  if (!webhook) return
  const delivery = nextDelivery(ctx.store, webhookId, ctx.now().toISOString())
  if (!delivery || !webhook.active) return scheduleNext(ctx, webhookId)
  const sent = await send(ctx, webhook, delivery, signal)
  if (signal.aborted && !sent.ok) throw new Error('The server is stopping.')
  await scheduleNext(ctx, webhookId, () => {
    checkLease?.()
    recordAttempt(ctx, delivery, sent)
  })
}

/**
 * Runs `work` and schedules the webhook's job in one transaction; abandons the waiting deliveries
 * of a paused webhook.
 */
async function scheduleNext(ctx: Context, webhookId: string, work = () => {}): Promise<void> {
  const paused = ctx.store.transact(() => {
    work()
    const webhook = findWebhook(ctx.store, webhookId)
    if (webhook?.active) scheduleDeliveries(ctx.store, webhookId, ctx.now())
    return webhook?.active === 0
  })
  if (paused) await abandonAll(ctx, webhookId)
}

async function send(
  ctx: Context,
  webhook: WebhookRow,
  { id, event, payload }: WebhookDeliveryRow,
  signal: AbortSignal,
): Promise<Sent> {
  const now = ctx.now()
  const body = withAddress(ctx, payload)
  let secrets: string[]
  try {
    secrets = secretsOf(ctx, webhook, now)
  } catch {
    return {
      ok: false,
      error: 'The signing secret can no longer be read. Set a new secret for the webhook.',
    }
  }

  const headers = {
    'content-type': 'application/json',
    'stemma-event': event,
    'stemma-delivery': id,
    'stemma-signature': signatureOf(secrets, body, now),
  }
  const route = outgoingRoute(ctx, { organization: webhook.organization_id })

  return postBytes(new URL(webhook.url), Buffer.from(body), headers, route, signal)
}

/** Records the outcome of an attempt and the time of the next one. Call inside a transaction. */
function recordAttempt(ctx: Context, delivery: WebhookDeliveryRow, sent: Sent): void {
  const webhook = findWebhook(ctx.store, delivery.webhook_id)
  if (!webhook) return
  const now = ctx.now()
  const attempted_at = now.toISOString()
  const status_code = sent.status ?? null
  const attempts = delivery.attempts + 1
  const tried = { attempts, attempted_at, status_code }

  if (sent.ok) {
    updateDelivery(ctx.store, delivery.id, {
      ...tried,
      state: 'success',
      error: null,
      next_attempt_at: null,
    })
    if (webhook.failing_since !== null)
      updateWebhook(ctx.store, webhook.id, { failing_since: null })
    return
  }

  // Abandoned during the attempt: no retry.
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
  if (isOver && mayDestroy(ctx, 'failing webhooks')) pause(ctx, webhook, attempted_at)
}

function pause(
  ctx: Context,
  { id, organization_id: organizationId }: WebhookRow,
  at: string,
): void {
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
