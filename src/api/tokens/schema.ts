import { z } from 'zod'
import { type Scope, scopes } from '../../access/scopes.ts'
import { listOf } from '../../http/list.ts'
import { lineOfText } from '../line-of-text.ts'
import { OrganizationPath } from '../organizations/schema.ts'

const ScopeName = z.enum(scopes as [Scope, ...Scope[]]).meta({
  id: 'TokenScope',
  description:
    'What a token may do: `read`, `write` or `admin`, each of which includes the ones before it; alone it holds for everything, after a name and ":" for one family of operations. A token never does more than its user may.',
})

const limits = {
  scopes: z.array(ScopeName),
  organization: z
    .string()
    .optional()
    .meta({ description: 'The only organization that the token reaches; all of the user when left out.' }),
  space: z
    .string()
    .optional()
    .meta({ description: 'The only space that the token reaches; all of the user when left out.' }),
  createdAt: z.string(),
  lastUsedAt: z.string().optional().meta({ description: 'Written at most once a minute.' }),
  expiresAt: z.string().optional(),
  urls: z.object({ location: z.string() }),
}

export const Token = z
  .object({
    object: z.literal('token'),
    id: z.string(),
    name: z.string(),
    parent: z.string().optional().meta({ description: 'The id of the token that it was made with.' }),
    ...limits,
  })
  .meta({ id: 'Token' })

export const Tokens = listOf(Token)

export const NewToken = Token.extend({
  token: z.string().meta({ description: 'The secret: shown this once and never again.' }),
}).meta({ id: 'NewToken' })

export const TokenPath = z.object({ tokenId: z.string() })

export const TokenBody = z.strictObject({
  name: lineOfText(1, 100),
  expiresAt: z.iso.datetime({ offset: true }).optional().meta({
    description: 'When it stops working. When left out: when the token of this request does, or never.',
  }),
  scopes: z.array(ScopeName).min(1).max(scopes.length).optional().meta({
    description: 'When left out: those of the token of this request.',
  }),
  organization: z.string().optional().meta({
    description: 'The only organization that it reaches. When left out: as for the token of this request.',
  }),
  space: z.string().optional().meta({
    description: 'The only space that it reaches. When left out: as for the token of this request.',
  }),
})

export const RevokeQuery = z.object({
  except: z
    .literal('current')
    .optional()
    .meta({ description: 'Keeps the token of this request and those that it descends from.' }),
})

export const OrganizationTokenPath = OrganizationPath.extend(TokenPath.shape)

export const OrganizationTokens = listOf(
  z
    .object({
      object: z.literal('organization-token'),
      id: z.string(),
      name: z.string(),
      user: z.object({ id: z.string(), displayName: z.string() }),
      accepted: z.boolean().meta({
        description:
          'False when an admin has refused the token, or it lives longer than the organization allows.',
      }),
      ...limits,
    })
    .meta({ id: 'OrganizationToken' }),
)
