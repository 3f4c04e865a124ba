import { z } from 'zod'
import { checkMember, organization } from '../../../access/guards/organization.ts'
import { anyone } from '../../../access/guards/self.ts'
import { publicKeys, rotateOrganizationKey } from '../../../actions/people/organization-key.ts'
import { missing } from '../../../errors.ts'
import { Answer, endpoint } from '../../../http/endpoint.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'

const PublicKey = z.looseObject({
  kty: z.string().meta({ description: 'The type of the key, `OKP`.' }),
  kid: z.string().meta({ description: 'The id of the key, which tokens name in their header.' }),
  alg: z.string().meta({ description: 'The algorithm of its signatures, `EdDSA`.' }),
  use: z.string().meta({ description: 'What it is for: `sig`, signatures.' }),
})
const KeySet = z.object({
  keys: z.array(PublicKey).meta({ description: 'The keys, the one that signs now first.' }),
})

export const getOrganizationKeys = endpoint({
  operationId: 'getOrganizationKeys',
  summary: 'Get the public keys of an organization',
  description:
    'Returns a JSON Web Key Set, with which the member tokens of the organization can be verified: first the key that signs now, then former keys whose tokens have not expired. No token is needed. The answer is a 404 until the organization has signed its first member token.',
  params: OrganizationPath,
  reply: KeySet,
  access: anyone,
  handle: ({ ctx, params }) => {
    const keys = publicKeys(ctx, params.organizationId)
    if (!keys) throw missing('key of an organization', params.organizationId)
    return new Answer({ keys }, { headers: { 'Cache-Control': 'public, max-age=300' } })
  },
})

export const rotateOrganizationKeys = endpoint({
  operationId: 'rotateOrganizationKeys',
  summary: 'Rotate the signing key of an organization',
  description:
    'Creates a key that signs all member tokens from now on, and returns the key set. The former key stays in the key set for 65 minutes, until all tokens that it has signed have expired. Requires an admin of the organization.',
  params: OrganizationPath,
  reply: KeySet,
  access: organization('admin'),
  handle: async ({ ctx, organization: { id }, user, by }) => {
    await rotateOrganizationKey(ctx, id, by, () => void checkMember(ctx, id, user, 'admin'))
    return { keys: publicKeys(ctx, id) ?? [] }
  },
})
