import { z } from 'zod'
import { lineOfText, WebAddress } from '../../../lib/line-of-text.ts'
import { oneAddress } from '../../../lib/normalize.ts'

/** The name of a person, which Git writes before the address in angle brackets. */
const PersonName = lineOfText(1, 64).refine(
  name => !/[<>]/.test(name),
  'takes no angle brackets, because they enclose the address in commits',
)

export const EmailAddress = z
  .string()
  .trim()
  .max(254)
  .regex(
    /^[^\s<>@\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]+@[^\s<>@\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]+$/u,
    'takes an e-mail address such as ada@example.org',
  )
  .overwrite(oneAddress)

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

/** What an operator says about a new user. */
export const UserBody = z.strictObject({ displayName: PersonName, email: EmailAddress })

export const UserPatch = z
  .strictObject({
    displayName: PersonName.optional(),
    photoURL: WebAddress.nullable().optional().meta({ description: 'null removes the photo.' }),
  })
  .refine(body => Object.keys(body).length > 0, 'takes "displayName", "photoURL" or both')
