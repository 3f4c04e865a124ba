import type { Context } from '../../context.ts'
import { listSealedProviders } from '../../store/sso/providers.ts'
import type { Problem } from './verify-repository.ts'

/** Returns the identity providers whose client secret the key of the data folder does not decrypt, as problems. */
export const verifyProviders = ({ store, keys }: Context): Problem[] =>
  listSealedProviders(store)
    .filter(({ secret_sealed }) => {
      try {
        keys.open(secret_sealed)
        return false
      } catch {
        return true
      }
    })
    .map(({ id, organization_id }) => ({
      organization: organization_id,
      what: `The client secret of the identity provider ${id} cannot be decrypted.`,
      remedy:
        'Stop the server and restore the file "key" from the last good backup, or enter the client secret of the provider again.',
    }))
