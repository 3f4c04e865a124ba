import { baseOfSite } from '../actions/sites/addresses.ts'
import { sitesServerBase } from '../actions/sites/find-site.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { sha256 } from '../lib/digest.ts'
import { findInstallation } from '../store/integrations/installations.ts'
import {
  findIntegrationById,
  findPublishedScript,
  type Integration,
} from '../store/integrations/integrations.ts'
import { listInstallationsOnSite } from '../store/integrations/site-installations.ts'
import type { InstallationRow, SiteInstallationRow, SiteRow } from '../store/tables/rows.ts'
import { maskSecrets } from './configuration.ts'
import { configurationOf, essentialsOf, isActiveOn, scopesOf } from './installed.ts'
import { publishedScript } from './published-script.ts'
import { publishedPolicy } from './security-policy.ts'

/** A script that pages of a site load. */
export type SiteScript = {
  name: string
  /** Its address, and the path of it. */
  address: string
  path: string
  text: string
  policy: string | undefined
  cookies: boolean
}

/**
 * Returns the scripts that pages of a site load, by the name of their integrations: of active
 * installations that may inject scripts. None on sites with share links, whose scripts would learn
 * the keys, and none while the site or its scripts have the origin of the API.
 */
export const scriptsOnSite = (ctx: Context, site: SiteRow): readonly SiteScript[] =>
  ctx.store.remember(`scripts ${site.id} ${site.visibility}`, () => readScripts(ctx, site), {
    organizationId: site.organization_id,
  })

function readScripts(ctx: Context, site: SiteRow): SiteScript[] {
  if (site.visibility === 'share-link' || sharesOrigin(ctx, site)) return []
  return listInstallationsOnSite(ctx.store, site.id)
    .flatMap(row => scriptOf(ctx, site, row) ?? [])
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function scriptOf(ctx: Context, site: SiteRow, row: SiteInstallationRow): SiteScript | undefined {
  const installation = findInstallation(ctx.store, row.installation_id) as InstallationRow
  const integration = findIntegrationById(ctx.store, installation.integration_id) as Integration
  const scopes = scopesOf(integration, installation)
  if (!scopes.includes('site:script:inject') || !mayInject(integration, site)) return undefined

  const script = findPublishedScript(ctx.store, integration.id)
  if (script === undefined || !isActiveOn(ctx, integration, installation, row)) return undefined

  const text = publishedScript(script, maskSecrets(configurationOf(ctx, row)))
  const file = `${integration.version}-${sha256(text).slice(0, 20)}.js`
  const address = `${sitesServerBase(ctx)}/~integrations/${encodeURIComponent(integration.name)}/${site.id}/${file}`

  return {
    name: integration.name,
    address,
    path: new URL(address).pathname,
    text,
    policy: publishedPolicy(essentialsOf(integration).contentSecurityPolicy ?? '') || undefined,
    cookies: scopes.includes('site:script:cookies'),
  }
}

/**
 * Returns whether an integration may put scripts into pages of a site: its organization trusts it,
 * or the operator does.
 */
const mayInject = (
  { source, organization_id: ownerId }: Integration,
  { organization_id: organizationId }: SiteRow,
): boolean => source === 'server' || ownerId === organizationId

/**
 * Returns whether a site, or the scripts of sites, have the origin of the API, whose tokens a
 * script could then steal.
 */
function sharesOrigin(ctx: Context, site: SiteRow): boolean {
  const { origin } = new URL(ctx.publicUrl())
  return [sitesServerBase(ctx), baseOfSite(ctx, site)].some(base => new URL(base).origin === origin)
}

/**
 * Throws 'forbidden' for an integration whose scripts the organization of a site may not use, and
 * 'conflict' while the site has the origin of the API.
 */
export function checkScripts(ctx: Context, integration: Integration, site: SiteRow): void {
  if (!mayInject(integration, site))
    throw new Fault(
      'integration_private',
      'The integration puts scripts into pages, which only integrations of the same organization or of the operator may do.',
    )
  if (sharesOrigin(ctx, site))
    throw new Fault(
      'sites_origin_needed',
      'The integration puts scripts into pages, which needs sites at another origin than the API. The operator sets it with STEMMA_SITES_URL.',
    )
}
