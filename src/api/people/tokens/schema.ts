import { z } from 'zod'
import { ScopeName } from '../../../actions/people/token-body.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'

const limits = {
  scopes: z.array(ScopeName),
  organization: z.string().optional().meta({
    description:
      'The only organization that the token reaches; all organizations of the user when left out.',
  }),
  space: z.string().optional().meta({
    description: 'The only space that the token reaches; all spaces of the user when left out.',
  }),
  createdAt: z.string(),
  lastUsedAt: z.string().optional().meta({
    description: 'The time of the last use, saved once per minute.',
  }),
  expiresAt: z.string().optional(),
  urls: z.object({ location: z.string() }),
}

export const Token = z
  .object({
    object: z.literal('token'),
    id: z.string(),
    name: z.string(),
    parent: z.string().optional().meta({ description: 'The id of the token that created it.' }),
    ...limits,
  })
  .meta({
    id: 'Token',
    description: 'A key of a user for the API and Git, without its secret.',
    sentences: {
      name: 'A name, which the owner has chosen.',
      scopes: 'The scopes of the token, as `family:level`.',
    },
  })

export const NewToken = Token.extend({
  token: z.string().meta({ description: 'The secret, which is shown only once.' }),
}).meta({
  id: 'NewToken',
  description: 'A token that was just created, with its secret.',
  sentences: {
    name: 'A name, which the owner has chosen.',
    scopes: 'The scopes of the token, as `family:level`.',
  },
})

export const TokenPath = z.object({ tokenId: z.string() })

export const RevokeQuery = z.object({
  except: z
    .literal('current')
    .optional()
    .meta({ description: 'Keeps the token of this request and its ancestors.' }),
})

export const OrganizationTokenPath = OrganizationPath.extend(TokenPath.shape)

export const OrganizationToken = z
  .object({
    object: z.literal('organization-token'),
    id: z.string(),
    name: z.string(),
    user: z.object({ id: z.string(), displayName: z.string() }),
    accepted: z.boolean().meta({
      description:
        'False when an admin has refused the token, or its lifetime exceeds the limit of the organization.',
    }),
    ...limits,
  })
  .meta({
    id: 'OrganizationToken',
    description: 'A token of a member that reaches the organization, as its admins see it.',
    sentences: {
      name: 'A name, which the owner has chosen.',
      user: 'The owner.',
      'user.id': 'The id of the owner.',
      'user.displayName': 'The name of the owner.',
      scopes: 'The scopes of the token, as `family:level`.',
    },
  })
