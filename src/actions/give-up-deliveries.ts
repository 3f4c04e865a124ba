import type { Context } from '../context.ts'
import { pauses } from '../lib/slices.ts'
import { enqueue } from '../queue/enqueue.ts'
import { cancelJob } from '../store/jobs.ts'
import { deleteSomeDeliveries, giveUpDeliveries, nextDeliveryTime } from '../store/webhook-deliveries.ts'
import { findWebhook } from '../store/webhooks.ts'
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
export async function giveUpAll(ctx: Context, webhookId: string): Promise<void> {
  const pause = pauses()
  // It may have been let go on since: what is queued then is to be sent.
  const some = () =>
    findWebhook(ctx.store, webhookId)?.active === 0
      ? giveUpDeliveries(ctx.store, webhookId, paused, batch)
      : 0
  // Who is killed meanwhile begins anew.
  while (ctx.store.transactUnsynced(some) === batch) await pause()
}

/** Removes the deliveries of a webhook that is to be deleted, but for the last few, and lets others in meanwhile. */
export async function forgetDeliveries(ctx: Context, webhookId: string): Promise<void> {
  const pause = pauses()
  while (ctx.store.transactUnsynced(() => deleteSomeDeliveries(ctx.store, webhookId, batch)) === batch)
    await pause()
}
