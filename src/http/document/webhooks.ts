import type { z } from 'zod'
import { schemaOf } from './schemas.ts'
import type { Json } from './sentences.ts'

/** An event that is posted to receivers: when, and the schema of the body. */
export type SentEvent = { summary: string; payload: z.ZodType }

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const headersOf = (type: string): Json[] => [
  header('Stemma-Event', 'The type of the event, as in the body.', type),
  header(
    'Stemma-Delivery',
    'The id of the delivery, which retries keep and a redelivery does not.',
    'dF1pM5cYn9Ew3jKa7V2u',
  ),
  header(
    'Stemma-Signature',
    'The seconds since 1970, and the HMAC-SHA256 of "<t>.<body>" with each secret of the webhook.',
    't=1767225600,v1=0f3c8e…',
  ),
]

/** Returns the events of a table, by their types, as the document describes them. */
export const webhooksOf = (events: Readonly<Record<string, SentEvent>>): Json =>
  Object.fromEntries(
    Object.entries(events).map(([type, { summary, payload }]) => [
      type,
      {
        post: {
          operationId: `${type.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`,
          summary,
          tags: ['webhooks'],
          security: [],
          parameters: headersOf(type),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(payload, 'output') } },
          },
          responses: {
            '2XX': { description: 'The delivery has arrived.' },
            default: { description: 'The delivery is retried, eight times over two days.' },
          },
        },
      },
    ]),
  )
