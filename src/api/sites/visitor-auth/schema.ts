import { z } from 'zod'
import { WebAddress } from '../../../lib/line-of-text.ts'

const Backend = z.enum(['custom', 'integration'])

export const PublishingAuth = z
  .object({
    object: z.literal('publishing-auth'),
    backend: Backend,
    integration: z.string().optional(),
    privateKey: z.string().meta({
      description:
        'The key of visitor tokens: the HMAC secret is this text as UTF-8, not a decoding of it.',
    }),
    fallbackURL: z.string().optional(),
  })
  .meta({
    id: 'SitePublishingAuth',
    description: 'How visitors of a site prove who they are.',
    sentences: {
      backend:
        '`custom`: a system of yours signs visitor tokens. `integration`: an integration does.',
      integration: 'The name of that integration.',
      fallbackURL: 'Where visitors without a valid token are sent; left out to refuse them.',
    },
  })

export const PublishingAuthPatch = z.strictObject({
  backend: Backend.optional().meta({
    description:
      '`custom`: a system of yours signs visitor tokens. `integration`: an integration does.',
  }),
  integration: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The name of the integration, with the backend `integration`.' }),
  fallbackURL: WebAddress.nullable().optional().meta({
    description:
      'Where visitors without a valid token are sent. It gets the path that they asked for as the query parameter "location". null removes it.',
  }),
})
