import { z } from 'zod'
import { EmailAddress, PersonName, WebAddress } from '../../../lib/line-of-text.ts'

export const User = z
  .object({
    object: z.literal('user'),
    id: z.string(),
    displayName: z.string(),
    email: z.string().optional(),
    photoURL: z.string().optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({
    id: 'User',
    description: 'A person with an account on this server.',
    sentences: {
      displayName: 'The name that others see.',
      email: 'The e-mail address; left out for callers who may not see it.',
      photoURL: 'The address of a picture; left out without one.',
    },
  })

export const UserPath = z.object({ userId: z.string() })

/** What an operator says about a new user. */
export const UserBody = z.strictObject({ displayName: PersonName, email: EmailAddress })

export const UserPatch = z
  .strictObject({
    displayName: PersonName.optional().meta({ description: 'The name that others see.' }),
    photoURL: WebAddress.nullable()
      .optional()
      .meta({ description: 'The address of the photo; null removes it.' }),
  })
  .refine(body => Object.keys(body).length > 0, 'takes "displayName", "photoURL" or both')
