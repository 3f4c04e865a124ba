import { z } from 'zod'
import { webhookEvents } from '../../actions/events/queue-deliveries.ts'
import { listOf, PageQuery } from '../../http/list.ts'
import { OrganizationPath } from '../organizations/schema.ts'

export const WebhookPath = OrganizationPath.extend({ webhookId: z.string() })
export const DeliveryPath = WebhookPath.extend({ deliveryId: z.string() })

const Url = z
  .string()
  .max(2048)
  .meta({ description: 'An https address without credentials, to which each event is posted.' })

const Events = z
  .union([z.tuple([z.literal('*')]), z.array(z.enum(webhookEvents)).min(1).max(webhookEvents.length)], {
    error: `takes ["*"], or a list of one or more of ${webhookEvents.join(', ')}`,
  })
  .meta({ description: 'What it is told of; ["*"]: everything, also what will be added later.' })

const Secret = z.string().min(16).max(200).meta({
  description: 'The key of the signatures, 16 to 200 characters. It is kept sealed and never shown.',
})

export const WebhookBody = z.strictObject({ url: Url, events: Events, secret: Secret })

export const WebhookPatch = z
  .strictObject({
    url: Url.optional(),
    events: Events.optional(),
    secret: Secret.optional(),
    previousSecretHours: z.int().min(0).max(168).default(24).meta({
      description:
        'With a new secret: how many hours deliveries are signed with the previous one too. 0: not at all, for a secret that has leaked.',
    }),
    active: z
      .boolean()
      .optional()
      .meta({ description: 'false pauses it; true lets it go on, with what happens then.' }),
  })
  .refine(
    ({ previousSecretHours: _, ...body }) => Object.keys(body).length > 0,
    'takes "url", "events", "secret", "active" or several of them',
  )

export const Webhook = z
  .object({
    object: z.literal('webhook'),
    id: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    active: z.boolean().meta({
      description:
        'Whether it is told of events. One to which nothing could be delivered for seven days is paused, and then false.',
    }),
    failingSince: z
      .string()
      .optional()
      .meta({ description: 'Since when every delivery failed; left out when the last one arrived.' }),
    previousSecretUntil: z
      .string()
      .optional()
      .meta({ description: 'Until when deliveries are signed with the previous secret too.' }),
    createdBy: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'Webhook' })

export const Webhooks = listOf(Webhook)

export const WebhookDelivery = z
  .object({
    object: z.literal('webhook-delivery'),
    id: z.string(),
    webhook: z.string(),
    event: z.string(),
    eventId: z.string(),
    state: z.enum(['waiting', 'success', 'failure']),
    attempts: z.int(),
    statusCode: z.int().optional().meta({ description: 'What the receiver answered the last time.' }),
    error: z.string().optional().meta({ description: 'Why the last attempt failed.' }),
    redeliveryOf: z.string().optional(),
    createdAt: z.string(),
    attemptedAt: z.string().optional(),
    nextAttemptAt: z.string().optional(),
    payload: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'What is sent; not in lists.' }),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'WebhookDelivery' })

export const WebhookDeliveries = listOf(WebhookDelivery)

export const DeliveriesQuery = PageQuery.extend({
  state: z.enum(['waiting', 'success', 'failure']).optional().meta({
    description: 'Only those in this state; `waiting`: not sent yet, or to be tried again.',
  }),
})
