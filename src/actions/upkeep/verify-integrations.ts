import type { Context } from '../../context.ts'
import { opens } from '../../lib/keys.ts'
import { listAllInstallations } from '../../store/integrations/installations.ts'
import { listSealedSecrets } from '../../store/integrations/integrations.ts'
import { listAllSiteInstallations } from '../../store/integrations/site-installations.ts'
import type { Problem } from './verify-repository.ts'

const restoreKey = 'Stop the server and restore the file "key" from the last good backup, or'

/**
 * Returns the problems of all integrations: secrets and configurations that the key of the data
 * folder does not decrypt.
 */
export function verifyIntegrations(ctx: Context): Problem[] {
  return [
    ...listSealedSecrets(ctx.store).map(({ name, sealed }) => ({
      purpose: 'integration secrets',
      sealed,
      what: `The secrets of the integration ${name} cannot be decrypted.`,
      remedy: `${restoreKey} publish the integration again with its secrets.`,
    })),
    ...listAllInstallations(ctx.store).map(row => ({
      purpose: 'integration configuration',
      sealed: row.configuration_sealed,
      what: `The configuration of the installation ${row.id} of an integration cannot be decrypted.`,
      remedy: `${restoreKey} uninstall the integration and install it again.`,
      organization: row.organization_id,
    })),
    ...listAllSiteInstallations(ctx.store).map(row => ({
      purpose: 'integration configuration',
      sealed: row.configuration_sealed,
      what: `The configuration of the installation ${row.installation_id} of an integration on the site ${row.site_id} cannot be decrypted.`,
      remedy: `${restoreKey} uninstall the integration from the site and install it again.`,
    })),
  ].flatMap(({ purpose, sealed, ...problem }) =>
    opens(ctx.keys, purpose, sealed) ? [] : [problem],
  )
}
