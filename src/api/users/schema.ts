import { z } from 'zod'
import { listOf } from '../../http/list.ts'
import { lineOfText, WebAddress } from '../line-of-text.ts'

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
    displayName: lineOfText(1, 64).optional(),
    photoURL: WebAddress.nullable().optional().meta({ description: 'null takes the photo away.' }),
  })
  .refine(body => Object.keys(body).length > 0, 'takes "displayName", "photoURL" or both')

export const Token = z
  .object({
    object: z.literal('token'),
    id: z.string(),
    name: z.string(),
    createdAt: z.string(),
    lastUsedAt: z.string().optional().meta({ description: 'Written at most once a minute.' }),
    expiresAt: z.string().optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'Token' })

export const Tokens = listOf(Token)

export const NewToken = Token.extend({
  token: z.string().meta({ description: 'The secret: shown this once and never again.' }),
}).meta({ id: 'NewToken' })

export const TokenPath = z.object({ tokenId: z.string() })

export const TokenBody = z.strictObject({
  name: lineOfText(1, 100),
  expiresAt: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: 'When it stops working; never, when not said.' }),
})
