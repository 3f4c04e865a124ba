import type { Context } from '../../context.ts'
import { opens } from '../../lib/keys.ts'
import { listSealedProviders } from '../../store/sso/providers.ts'
import type { Problem } from './verify-repository.ts'

/**
 * Returns the identity providers whose client secret the key of the data folder does not decrypt,
 * as problems.
 */
export const verifyProviders = (ctx: Context): Problem[] =>
  listSealedProviders(ctx.store)
    .filter(({ secret_sealed }) => !opens(ctx.keys, 'client secret', secret_sealed))
    .map(({ id, organization_id }) => ({
      organization: organization_id,
      what: `The client secret of the identity provider ${id} cannot be decrypted.`,
      remedy:
        'Stop the server and restore the file "key" from the last good backup, or enter the client secret of the provider again.',
    }))
