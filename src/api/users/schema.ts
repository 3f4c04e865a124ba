import { z } from 'zod'
import { PersonName, WebAddress } from '../line-of-text.ts'

export const User = z
  .object({
    object: z.literal('user'),
    id: z.string(),
    displayName: z.string(),
    email: z.string().optional(),
    photoURL: z.string().optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'User' })

export const UserPath = z.object({ userId: z.string() })

export const UserPatch = z
  .strictObject({
    displayName: PersonName.optional(),
    photoURL: WebAddress.nullable().optional().meta({ description: 'null removes the photo.' }),
  })
  .refine(body => Object.keys(body).length > 0, 'takes "displayName", "photoURL" or both')
