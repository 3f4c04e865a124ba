import type { Context } from '../../context.ts'
import { opens } from '../../lib/keys.ts'
import { listAllInstallations } from '../../store/integrations/installations.ts'
import { listSealedSecrets } from '../../store/integrations/integrations.ts'
import { listAllSiteInstallations } from '../../store/integrations/site-installations.ts'
import { listSealedProviders } from '../../store/sso/providers.ts'
import type { Problem } from './verify-repository.ts'

/** A secret of the database, and what to do without the key that it is sealed with. */
type Secret = {
  organization?: string
  what: string
  purpose: string
  sealed: string
  renew: string
}

/**
 * Returns the client secrets of identity providers, and the secrets and configurations of
 * integrations, that the key of the data folder does not decrypt, as problems.
 */
export const verifySecrets = (ctx: Context): Problem[] =>
  findUnopened(ctx, [
    ...listSealedProviders(ctx.store).map(({ id, organization_id, secret_sealed }) => ({
      organization: organization_id,
      what: `The client secret of the identity provider ${id}`,
      purpose: 'client secret',
      sealed: secret_sealed,
      renew: 'enter the client secret of the provider again',
    })),
    ...listSealedSecrets(ctx.store).map(({ name, sealed }) => ({
      what: `The secrets of the integration ${name}`,
      purpose: 'integration secrets',
      sealed,
      renew: 'publish the integration again with its secrets',
    })),
    ...listAllInstallations(ctx.store).map(row => ({
      organization: row.organization_id,
      what: `The configuration of the installation ${row.id} of an integration`,
      purpose: 'integration configuration',
      sealed: row.configuration_sealed,
      renew: 'uninstall the integration and install it again',
    })),
    ...listAllSiteInstallations(ctx.store).map(row => ({
      what: `The configuration of the installation ${row.installation_id} of an integration on the site ${row.site_id}`,
      purpose: 'integration configuration',
      sealed: row.configuration_sealed,
      renew: 'uninstall the integration from the site and install it again',
    })),
  ])

/** Returns the secrets that the key of the data folder does not decrypt, as problems. */
export const findUnopened = (ctx: Context, secrets: readonly Secret[]): Problem[] =>
  secrets
    .filter(({ purpose, sealed }) => !opens(ctx.keys, purpose, sealed))
    .map(({ organization, what, renew }) => ({
      ...(organization !== undefined && { organization }),
      what: `${what} cannot be decrypted.`,
      remedy: `Stop the server and restore the file "key" from the last good backup, or ${renew}.`,
    }))
