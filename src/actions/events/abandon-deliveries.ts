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

/** How many deliveries are written at once, while nobody else is served. */
const batch = 200

const paused = 'The webhook is paused.'

/**
 * Gives up what waits for a webhook that has just been paused: some of it now, and what is left by its job, which does not
 * wait for its time then. Inside a transaction.
 */
export function giveUpSoon(ctx: Context, webhookId: string): void {
  giveUpDeliveries(ctx.store, webhookId, paused, batch)
  if (nextDeliveryTime(ctx.store, webhookId) === undefined) return
  cancelJob(ctx.store, 'deliver-webhook', webhookId)
  enqueue(ctx.store, deliveriesOrder(webhookId), ctx.now())
}

/** Gives up all that waits for a webhook that is paused, and lets others in meanwhile: it may be what gathered in a week. */
export const giveUpAll = ({ store }: Context, webhookId: string): Promise<void> =>
  inPortions(store, batch, limit =>
    // It may have been let go on since: what is queued then is to be sent.
    findWebhook(store, webhookId)?.active === 0 ? giveUpDeliveries(store, webhookId, paused, limit) : 0,
  )

/** Removes the deliveries of a webhook that is to be deleted, and lets others in meanwhile. */
export const forgetDeliveries = ({ store }: Context, webhookId: string): Promise<void> =>
  inPortions(store, batch, limit => deleteSomeDeliveries(store, webhookId, limit))
