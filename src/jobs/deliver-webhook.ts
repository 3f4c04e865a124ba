import { deliverWebhook as deliver } from '../actions/events/deliver-webhook.ts'
import type { JobRun } from './run.ts'

/** Sends a webhook the oldest delivery that is due. */
export const deliverWebhook: JobRun<'deliver-webhook'> = (ctx, { webhookId }, { signal }) =>
  deliver(ctx, webhookId, signal)
