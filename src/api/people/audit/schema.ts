import { z } from 'zod'
import { eventActions } from '../../../actions/events/audit-event.ts'
import { webhookEvents } from '../../../actions/events/webhook-events.ts'
import { PageQuery, queryCount } from '../../../http/list.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { User } from '../../base/users/schema.ts'

export const AuditEventPath = OrganizationPath.extend({ eventId: z.string() })

const Time = z.iso.datetime({ offset: true }).transform(text => new Date(text).toISOString())

const defaultLimit = 20
const mostLimit = 100

export const AuditEventsQuery = PageQuery.extend({
  from: Time.optional().meta({ description: 'Only events at or after this time.' }),
  to: Time.optional().meta({ description: 'Only events before this time.' }),
  action: z.enum(eventActions).optional().meta({
    description: 'Only events with this action; `listAuditEventActions` lists the actions.',
  }),
  actor: z.string().min(1).max(200).optional().meta({
    description: 'The id of a user, or "unknown" for events without a known user, such as a push.',
  }),
  target: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Only events whose target has this id.' }),
  space: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Only events in the space with this id.' }),
  limit: queryCount(mostLimit)
    .default(defaultLimit)
    .meta({ description: `The number of items, 1 to ${mostLimit}. Default: ${defaultLimit}.` }),
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
      .meta({ description: '`unknown` for pushes with Git and the command line of the server.' }),
    target: z.object({ type: z.string(), id: z.string() }),
    space: z.string().optional(),
    details: z.record(z.string(), z.unknown()).meta({
      description:
        'Ids, and the values before and after the change. Texts of pages and comments and secrets are never included.',
    }),
    address: z.string().optional().meta({ description: 'The IP address of the client.' }),
    token: z.string().optional().meta({ description: 'The id of the token that was used.' }),
    requestId: z.string().optional().meta({ description: 'The `X-Request-Id` of the response.' }),
    createdAt: z.string(),
    urls: z.object({ location: z.string() }),
  })
  .meta({
    id: 'AuditEvent',
    description: 'A recorded write in an organization, for its admins. Events are never changed.',
    sentences: {
      action: 'The kind of event, as `noun.verb`.',
      target: 'The resource that was changed.',
      'target.type': 'The kind of resource, such as `space`.',
      'target.id': 'The id of the resource, which may have been deleted since.',
      space: 'The id of the space of the event; left out for events outside of spaces.',
    },
  })

export const AuditEventAction = z
  .object({
    object: z.literal('audit-event-action'),
    action: z.enum(eventActions),
    webhookEvents: z
      .array(z.enum(webhookEvents))
      .meta({ description: 'The webhook events that are sent for it.' }),
  })
  .meta({
    id: 'AuditEventAction',
    description: 'A kind of audit event.',
    sentences: { action: 'The name of the kind, as in `action` of events.' },
  })
