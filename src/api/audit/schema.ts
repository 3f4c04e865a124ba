import { z } from 'zod'
import { eventActions } from '../../actions/events/audit-event.ts'
import { webhookEvents } from '../../actions/events/queue-deliveries.ts'
import { listOf, PageQuery } from '../../http/list.ts'
import { OrganizationPath } from '../organizations/schema.ts'
import { User } from '../users/schema.ts'

export const AuditEventPath = OrganizationPath.extend({ eventId: z.string() })

const Time = z.iso.datetime({ offset: true }).transform(text => new Date(text).toISOString())

const defaultLimit = 20
const mostLimit = 100

export const AuditEventsQuery = PageQuery.extend({
  from: Time.optional().meta({ description: 'The earliest time.' }),
  to: Time.optional().meta({ description: 'The first time that is too late.' }),
  action: z
    .enum(eventActions)
    .optional()
    .meta({ description: 'Only what is of this kind; `listAuditEventActions` tells the kinds.' }),
  actor: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'The id of a user, or "unknown" for what nobody known did, e.g. a push.' }),
  target: z.string().min(1).max(200).optional().meta({ description: 'The id of what it happened to.' }),
  space: z.string().min(1).max(200).optional().meta({ description: 'The id of the space it happened in.' }),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, `takes a whole number from 1 to ${mostLimit}`)
    .transform(Number)
    .refine(limit => limit >= 1 && limit <= mostLimit, `takes a whole number from 1 to ${mostLimit}`)
    .default(defaultLimit)
    .meta({ description: `How many items, 1 to ${mostLimit}; ${defaultLimit} when not said.` }),
})

export const AuditEvent = z
  .object({
    object: z.literal('audit-event'),
    id: z.string(),
    action: z.enum(eventActions),
    actor: z
      .discriminatedUnion('type', [
        z.object({ type: z.literal('user'), user: User }),
        z.object({ type: z.literal('unknown') }),
      ])
      .meta({ description: 'Unknown is who pushed with Git, or used the command line of the server.' }),
    target: z.object({ type: z.string(), id: z.string() }),
    space: z.string().optional(),
    details: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Ids, and values before and after; no texts that people wrote, and no secrets.' }),
    address: z.string().optional().meta({ description: 'The IP address it came from.' }),
    token: z.string().optional().meta({ description: 'The id of the token it was done with.' }),
    requestId: z.string().optional().meta({ description: 'As in the header X-Request-Id of its answer.' }),
    createdAt: z.string(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'AuditEvent' })

export const AuditEvents = listOf(AuditEvent)

export const AuditEventActions = listOf(
  z
    .object({
      object: z.literal('audit-event-action'),
      action: z.enum(eventActions),
      webhookEvents: z.array(z.enum(webhookEvents)).meta({ description: 'What webhooks are told of it.' }),
    })
    .meta({ id: 'AuditEventAction' }),
)
