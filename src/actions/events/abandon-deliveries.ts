import type { Context } from '../../context.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { cancelJob } from '../../store/events/jobs.ts'
import {
  deleteSomeDeliveries,
  giveUpDeliveries,
  nextDeliveryTime,
} from '../../store/events/webhook-deliveries.ts'
import { findWebhook } from '../../store/events/webhooks.ts'
import { inPortions } from '../../store/in-portions.ts'
import { deliveriesOrder } from './queue-deliveries.ts'

/** How many deliveries are written in one transaction, which blocks the event loop. */
const batch = 200

const paused = 'The webhook is paused.'

/**
 * Abandons the waiting deliveries of a webhook that has just been paused: one batch now, the rest
 * in its job, which is moved up to run now. Call inside a transaction.
 */
export function abandonSoon(ctx: Context, webhookId: string): void {
  giveUpDeliveries(ctx.store, webhookId, paused, batch)
  if (nextDeliveryTime(ctx.store, webhookId) === undefined) return
  cancelJob(ctx.store, 'deliver-webhook', webhookId)
  enqueue(ctx.store, deliveriesOrder(webhookId), ctx.now())
}

/**
 * Abandons all waiting deliveries of a paused webhook in batches, yielding to the event loop: a
 * week's worth may wait.
 */
export const abandonAll = ({ store }: Context, webhookId: string): Promise<void> =>
  inPortions(store, batch, limit =>
    // It may have been resumed meanwhile: newer deliveries must be sent.
    findWebhook(store, webhookId)?.active === 0
      ? giveUpDeliveries(store, webhookId, paused, limit)
      : 0,
  )

/**
 * Deletes the deliveries of a webhook that is about to be deleted, in batches, yielding to the
 * event loop.
 */
export const removeDeliveries = ({ store }: Context, webhookId: string): Promise<void> =>
  inPortions(store, batch, limit => deleteSomeDeliveries(store, webhookId, limit))
