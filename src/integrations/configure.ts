import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import type { Integration } from '../store/integrations/integrations.ts'
import type { InstallationRow } from '../store/tables/rows.ts'
import { type Configuration, configurationProblem, keepSecrets } from './configuration.ts'
import { type ConfigurationKind, configurationOf, rulesOf } from './installed.ts'

type Given = {
  configuration?: Configuration | undefined
  externalIds?: readonly string[] | undefined
}

/** The columns that a change of a configuration sets. */
type Columns = Partial<Pick<InstallationRow, 'configuration_sealed' | 'external_ids'>>

/**
 * Returns the columns of a new configuration and external ids. Throws 'invalid' for a configuration
 * that the integration does not take.
 */
export function configure(
  ctx: Context,
  integration: Integration,
  kind: ConfigurationKind,
  row: Pick<InstallationRow, 'configuration_sealed'>,
  { configuration: given, externalIds }: Given,
): Columns {
  if (given !== undefined) {
    const problem = configurationProblem(rulesOf(integration, kind), given)
    if (problem !== undefined) throw invalid(`"configuration" in the body: ${problem}.`)
  }
  return {
    ...(given !== undefined && {
      configuration_sealed: sealed(ctx, keepSecrets(given, configurationOf(ctx, row))),
    }),
    ...(externalIds !== undefined && { external_ids: [...externalIds] }),
  }
}

const sealed = (ctx: Context, configuration: Configuration): string =>
  ctx.keys.seal('integration configuration', JSON.stringify(configuration))

/** Returns the sealed configuration of a new installation. */
export const emptyConfiguration = (ctx: Context): string => sealed(ctx, {})
