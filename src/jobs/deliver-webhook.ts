import { deliverWebhook as deliver } from '../actions/events/deliver-webhook.ts'
import type { JobRun } from './run.ts'

/** Sends the oldest due delivery of a webhook. */
export const deliverWebhook: JobRun<'deliver-webhook'> = (ctx, { webhookId }, about) =>
  deliver(ctx, webhookId, about)
