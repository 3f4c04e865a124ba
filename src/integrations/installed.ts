import type { IntegrationScope } from '../access/integration-scopes.ts'
import type { Context } from '../context.ts'
import type { Integration } from '../store/integrations/integrations.ts'
import type { InstallationRow, SiteInstallationRow } from '../store/tables/rows.ts'
import { type Configuration, type ConfigurationRules, isIncomplete } from './configuration.ts'

/** The properties of a stored manifest on which installations depend. */
type Essentials = {
  scopes: readonly IntegrationScope[]
  configurations?: { account?: ConfigurationRules; site?: ConfigurationRules }
  contentSecurityPolicy?: string
}

/** What a configuration is for: an organization, or a site. */
export type ConfigurationKind = 'account' | 'site'

/** Returns the properties of the manifest of an integration on which installations depend. */
export const essentialsOf = ({ manifest }: Pick<Integration, 'manifest'>): Essentials =>
  manifest as Essentials

/** Returns the rules of a configuration of an integration. */
export const rulesOf = (
  integration: Integration,
  kind: ConfigurationKind,
): ConfigurationRules | undefined => essentialsOf(integration).configurations?.[kind]

/** Returns the configuration of an installation on an organization or a site, with its secrets. */
export const configurationOf = (
  { keys }: Pick<Context, 'keys'>,
  row: Pick<InstallationRow, 'configuration_sealed'>,
): Configuration =>
  JSON.parse(keys.open('integration configuration', row.configuration_sealed)) as Configuration

/** Returns the status of an installation with a configuration. */
export const statusOf = (
  integration: Integration,
  kind: ConfigurationKind,
  configuration: Configuration,
): 'active' | 'pending' =>
  isIncomplete(rulesOf(integration, kind), configuration) ? 'pending' : 'active'

/**
 * Returns the scopes of an installation: the accepted ones that the current version of the
 * integration still has.
 */
export function scopesOf(
  integration: Integration,
  { scopes }: Pick<InstallationRow, 'scopes'>,
): IntegrationScope[] {
  return essentialsOf(integration).scopes.filter(scope => scopes.includes(scope))
}

/**
 * Returns whether an installation has all that its configurations on the organization and on a site
 * require.
 */
export const isActiveOn = (
  ctx: Context,
  integration: Integration,
  installation: InstallationRow,
  row: SiteInstallationRow,
): boolean =>
  statusOf(integration, 'account', configurationOf(ctx, installation)) === 'active' &&
  statusOf(integration, 'site', configurationOf(ctx, row)) === 'active'
