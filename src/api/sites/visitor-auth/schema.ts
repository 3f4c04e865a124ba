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
  .meta({ id: 'SitePublishingAuth' })

export const PublishingAuthPatch = z.strictObject({
  backend: Backend.optional(),
  integration: z.string().min(1).max(100).optional(),
  fallbackURL: WebAddress.nullable().optional().meta({
    description:
      'Where visitors without a valid token are sent. It gets the path that they asked for as the query parameter "location". null removes it.',
  }),
})
