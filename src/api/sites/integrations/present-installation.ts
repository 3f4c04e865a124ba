import type { z } from 'zod'
import type { Context } from '../../../context.ts'
import { maskSecrets } from '../../../integrations/configuration.ts'
import { configurationOf, scopesOf, statusOf } from '../../../integrations/installed.ts'
import type { Integration } from '../../../store/integrations/integrations.ts'
import { countLiveSpaces, rememberedSpace } from '../../../store/spaces/spaces.ts'
import type { InstallationRow, SiteInstallationRow, TokenRow } from '../../../store/tables/rows.ts'
import { integrationBase } from './present.ts'
import type { Installation, SiteInstallation } from './schema.ts'

/** There is one origin for what an integration answers. */
const publicEndpoints = (base: string) => ({
  publicEndpoint: base,
  publicContentEndpoint: base,
})

/** Returns whether a token belongs to an integration, which sees its own secrets. */
export const isOwnToken = (token: TokenRow | undefined): boolean =>
  token !== undefined && (token.installation_id !== null || token.integration_id !== null)

const apiOf = (ctx: Context, { name }: Integration, { id }: Pick<InstallationRow, 'id'>): string =>
  `${ctx.publicUrl()}/v1/integrations/${encodeURIComponent(name)}/installations/${id}`

/**
 * Returns an installation as the API shows it; only the integration itself sees secrets (`plain`).
 */
export function presentInstallation(
  ctx: Context,
  integration: Integration,
  row: InstallationRow,
  { plain }: { plain: boolean },
): z.input<typeof Installation> {
  const configuration = configurationOf(ctx, row)
  const location = apiOf(ctx, integration, row)
  const selected = row.spaces.filter(id => isLiveIn(ctx, id, row.organization_id))
  const isSelected = row.space_selection === 'selected'

  return {
    id: row.id,
    integration: integration.name,
    status: statusOf(integration, 'account', configuration),
    scopes: scopesOf(integration, row),
    space_selection: row.space_selection,
    site_selection: row.site_selection,
    spaces: isSelected ? selected.length : countLiveSpaces(ctx.store, row.organization_id),
    ...(isSelected && { selectedSpaces: selected }),
    configuration: plain ? configuration : maskSecrets(configuration),
    externalIds: row.external_ids,
    target: { organization: row.organization_id },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    urls: {
      location,
      app: location,
      ...publicEndpoints(`${integrationBase(ctx, integration.name)}installations/${row.id}/`),
    },
  }
}

/**
 * Returns whether a space is live in an organization: a selected one may have been deleted or
 * transferred.
 */
function isLiveIn({ store }: Context, id: string, organizationId: string): boolean {
  const space = rememberedSpace(store, id)
  return space?.organization_id === organizationId && space.deleted_at === null
}

type SiteShown = z.input<typeof SiteInstallation>

/** Returns an installation on a site as the API shows it, with the site or its id. */
export function presentSiteInstallation(
  ctx: Context,
  { integration, installation }: { integration: Integration; installation: InstallationRow },
  row: SiteInstallationRow,
  { plain, site }: { plain: boolean; site: SiteShown['site'] },
): SiteShown {
  const configuration = configurationOf(ctx, row)
  return {
    integration: integration.name,
    installation: installation.id,
    site,
    status: statusOf(integration, 'site', configuration),
    configuration: plain ? configuration : maskSecrets(configuration),
    externalIds: row.external_ids,
    urls: {
      location: `${apiOf(ctx, integration, installation)}/sites/${row.site_id}`,
      ...publicEndpoints(
        `${integrationBase(ctx, integration.name)}installations/${installation.id}/sites/${row.site_id}/`,
      ),
    },
  }
}
