import type { Context } from '../../context.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import type { OrganizationRow, SiteRow } from '../../store/tables/rows.ts'

/**
 * Returns the base of a site's addresses, with a trailing slash: its proxy origin, else its
 * hostname, else below the sites URL of the server. It depends on settings and rows only, never on
 * a request.
 */
export function siteBase(
  ctx: Pick<Context, 'config' | 'publicUrl'>,
  site: Pick<SiteRow, 'proxy_origin' | 'hostname' | 'basename'>,
  organization: Pick<OrganizationRow, 'id' | 'hostname'>,
): string {
  if (site.proxy_origin !== null) return `https://${site.proxy_origin}/`
  if (site.hostname !== null) return `https://${site.hostname}/`
  return `${organizationBase(ctx, organization)}${site.basename}/`
}

/** Returns the base of a site's addresses like `siteBase`, with the organization from the cache. */
export const baseOfSite = (ctx: Context, site: SiteRow): string =>
  siteBase(
    ctx,
    site,
    ctx.store.remember(
      `organization ${site.organization_id}`,
      () => findOrganization(ctx.store, site.organization_id),
      { organizationId: site.organization_id },
    ) as OrganizationRow,
  )

/** Returns the base of the addresses of an organization's sites, with a trailing slash. */
function organizationBase(
  { config: { sitesUrl }, publicUrl }: Pick<Context, 'config' | 'publicUrl'>,
  { id, hostname }: Pick<OrganizationRow, 'id' | 'hostname'>,
): string {
  if (sitesUrl?.includes('{org}') && hostname !== null)
    return `${sitesUrl.replace('{org}', hostname)}/`
  const root =
    sitesUrl === undefined || sitesUrl.includes('{org}') ? `${publicUrl()}/sites` : sitesUrl
  return `${root}/${hostname ?? id}/`
}

/**
 * Returns the published address of a path below a site's base; undefined while the site is not
 * published, and for a site with share links unless `shareKey` is an active key of it.
 */
export function publishedUrl(
  base: string,
  site: Pick<SiteRow, 'published' | 'visibility'>,
  path: string,
  shareKey?: string | undefined,
): string | undefined {
  if (!site.published) return undefined
  if (site.visibility !== 'share-link') return base + path
  return shareKey === undefined ? undefined : `${base}${shareKey}/${path}`
}
