import { z } from 'zod'
import { webhookEvents } from '../../../actions/events/webhook-events.ts'
import { PageQuery } from '../../../http/list.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'

export const WebhookPath = OrganizationPath.extend({ webhookId: z.string() })
export const DeliveryPath = WebhookPath.extend({ deliveryId: z.string() })

const Url = z
  .string()
  .max(2048)
  .meta({ description: 'An https URL without credentials, to which each event is posted.' })

const Events = z
  .union(
    [
      z.array(z.literal('*')).length(1),
      z.array(z.enum(webhookEvents)).min(1).max(webhookEvents.length),
    ],
    {
      error: `takes ["*"], or a list of one or more of ${webhookEvents.join(', ')}`,
    },
  )
  .meta({
    description: 'The events that are sent to it; ["*"] for all events, including future ones.',
  })

const Secret = z.string().min(16).max(200).meta({
  description:
    'The key of the signatures, 16 to 200 characters. It is stored encrypted and never shown.',
})

export const WebhookBody = z.strictObject({ url: Url, events: Events, secret: Secret })

export const WebhookPatch = z
  .strictObject({
    url: Url.optional(),
    events: Events.optional(),
    secret: Secret.optional(),
    previousSecretHours: z.int().min(0).max(168).default(24).meta({
      description:
        'With a new secret: the number of hours in which deliveries are also signed with the previous one. 0 for none, if the secret has leaked.',
    }),
    active: z
      .boolean()
      .optional()
      .meta({ description: 'false pauses it; true resumes it with new events.' }),
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
        'Whether events are sent to it. It is paused automatically after seven days in which every delivery failed.',
    }),
    failingSince: z.string().optional().meta({
      description:
        'The time since which all deliveries have failed; left out if the last delivery succeeded.',
    }),
    previousSecretUntil: z.string().optional().meta({
      description: 'The time until which deliveries are also signed with the previous secret.',
    }),
    createdBy: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    urls: z.object({ location: z.string() }),
  })
  .meta({
    id: 'Webhook',
    description: 'An address to which the events of an organization are sent.',
    sentences: {
      url: 'The https address that events are posted to.',
      events: 'The events that are sent; `["*"]` for all events.',
      createdBy: 'The id of the user who created it.',
    },
  })

export const WebhookDelivery = z
  .object({
    object: z.literal('webhook-delivery'),
    id: z.string(),
    webhook: z.string(),
    event: z.string(),
    eventId: z.string(),
    state: z.enum(['waiting', 'success', 'failure']),
    attempts: z.int(),
    statusCode: z.int().optional().meta({ description: 'The status of the last response.' }),
    error: z.string().optional().meta({ description: 'Why the last attempt failed.' }),
    redeliveryOf: z.string().optional(),
    createdAt: z.string(),
    attemptedAt: z.string().optional(),
    nextAttemptAt: z.string().optional(),
    payload: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'The body that is sent; left out in lists.' }),
    urls: z.object({ location: z.string() }),
  })
  .meta({
    id: 'WebhookDelivery',
    description: 'One event that is sent to a webhook, with its attempts.',
    sentences: {
      webhook: 'The id of the webhook.',
      event: 'The name of the event.',
      eventId: 'The id of the event, which is the same for all webhooks.',
      state: '`waiting`: to be sent or retried. All other states are final.',
      attempts: 'The number of attempts.',
      redeliveryOf: 'The id of the delivery that it repeats; left out if it repeats none.',
      attemptedAt: 'The time of the last attempt.',
      nextAttemptAt: 'The time of the next attempt; left out when there is none.',
    },
  })

export const DeliveriesQuery = PageQuery.extend({
  state: z.enum(['waiting', 'success', 'failure']).optional().meta({
    description: 'Only deliveries in this state; `waiting`: not sent yet, or to be retried.',
  }),
})
