import { z } from 'zod'
import type { AuditEvent } from './audit-event.ts'
import { actionsOf, type WebhookEvent, webhookEvents } from './webhook-events.ts'
import { webhookFields } from './webhook-fields.ts'

/** Returns the name of a schema, e.g. `SpaceCreatedEvent`. */
const nameOf = (type: string): string =>
  `${type.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`

const Id = z.object({ id: z.string() })

/** What every body has, also that of a ping. */
const everyEvent = {
  eventId: z.string().meta({
    description: 'The id of the event. Ignore a delivery whose `eventId` you have processed.',
  }),
  createdAt: z.string().meta({ description: 'The time of the event.' }),
  organizationId: z.string().meta({ description: 'The id of the organization.' }),
  actor: Id.nullable().meta({
    description: 'The user who caused the event; null for the server, a push and the command line.',
  }),
  target: Id.extend({
    type: z.string().meta({ description: 'The kind of resource, such as `space`.' }),
  }).meta({ description: 'The resource that changed.' }),
}

/** Returns the schema of the body of a webhook event. */
function payloadSchema(event: WebhookEvent) {
  const schema = z.object({
    ...everyEvent,
    type: z.literal(event).meta({ description: 'The event.' }),
    action: z.enum(actionsOf(event)).meta({ description: 'The action in the audit log.' }),
    spaceId: z.string().optional().meta({ description: 'The id of the space.' }),
    urls: z
      .object({ app: z.string() })
      .optional()
      .meta({ description: 'The address for a browser; left out if there is none.' }),
    ...webhookFields[event],
  })
  return schema.meta({
    id: nameOf(event),
    description: `The body of a delivery of the event \`${event}\`.`,
  })
}

/** The schema of the body of each webhook event, by its type. */
export const webhookPayloads = {
  ...(Object.fromEntries(webhookEvents.map(event => [event, payloadSchema(event)])) as Record<
    WebhookEvent,
    ReturnType<typeof payloadSchema>
  >),
  ping: z
    .object({ ...everyEvent, type: z.literal('ping').meta({ description: 'The event.' }) })
    .meta({ id: nameOf('ping'), description: 'What is posted to try a webhook out.' }),
}

/** Returns the body that is signed and sent: of the details, only what the schema has. */
export function payloadOf(
  eventId: string,
  type: WebhookEvent,
  event: AuditEvent,
): Record<string, unknown> {
  const { revision, ...details } = event.details ?? {}
  const given: Record<string, unknown> = { ...details, revisionId: revision }
  const fields = Object.keys(webhookFields[type]).filter(name => given[name] !== undefined)
  return {
    ...Object.fromEntries(fields.map(name => [name, given[name]])),
    eventId,
    type,
    action: event.action,
    createdAt: event.at,
    organizationId: event.organizationId,
    ...(event.spaceId !== undefined && { spaceId: event.spaceId }),
    actor: event.userId === null ? null : { id: event.userId },
    target: { type: event.target.kind, id: event.target.id },
  }
}
