import type { Context } from '../../context.ts'
import { findShareLinkByKey } from '../../store/sites/share-links.ts'
import { listPublishedSitesWith, rememberedSite } from '../../store/sites/sites.ts'
import type { SiteRow, SpaceRow } from '../../store/tables/rows.ts'
import { baseOfSite, publishedUrl } from './addresses.ts'
import { type SiteView, viewSite } from './view-site.ts'

type Published = Pick<SpaceRow, 'id' | 'visibility' | 'organization_id'>

/**
 * Returns the published address of one space: on the site that a reader reads; for others on the
 * site that an active share link with the key opens, else like `publishedUrlsOfSpaces`. Undefined
 * if there is none.
 */
export function publishedUrlOfSpace(
  ctx: Context,
  space: Published,
  { reader, shareKey }: { reader?: { site: SiteRow } | undefined; shareKey?: string | undefined },
): string | undefined {
  const link = shareKey === undefined ? undefined : findShareLinkByKey(ctx.store, shareKey)
  const opened =
    link?.active === 1 ? rememberedSite(ctx.store, space.organization_id, link.site_id) : undefined
  const site = reader?.site ?? opened
  const found = site && wholeSite(ctx, site).siteSpaces.find(each => each.space.id === space.id)
  if (!site || !found) return reader ? undefined : publishedUrlsOfSpaces(ctx, [space]).get(space.id)

  const key = site.id === opened?.id ? shareKey : undefined
  return publishedUrl(baseOfSite(ctx, site), site, found.path, key)
}

const wholeSite = (ctx: Context, site: SiteRow): SiteView =>
  viewSite(ctx, site, { sees: () => true, seesEmpty: false })

/**
 * Returns the published addresses of spaces by id: that on the oldest site with the audience that
 * is the visibility of the space. Spaces without a published address, also those that only share
 * links open, are left out.
 */
export function publishedUrlsOfSpaces(
  ctx: Context,
  spaces: readonly Published[],
): Map<string, string> {
  const urls = new Map<string, string>()
  const shown = spaces.filter(
    ({ visibility }) => visibility !== 'private' && visibility !== 'share-link',
  )
  if (shown.length === 0) return urls

  const visibilities = new Map(shown.map(({ id, visibility }) => [id, visibility]))

  for (const site of sitesWith(ctx, shown)) {
    const base = baseOfSite(ctx, site)
    for (const { space, path } of wholeSite(ctx, site).siteSpaces) {
      if (visibilities.get(space.id) !== site.visibility || urls.has(space.id)) continue
      const url = publishedUrl(base, site, path)
      if (url !== undefined) urls.set(space.id, url)
    }
  }

  return urls
}

/** Returns the published sites that show any of the spaces; those of one space from the cache. */
function sitesWith({ store }: Context, spaces: readonly Published[]): SiteRow[] {
  const ids = spaces.map(({ id }) => id)
  const [space] = spaces
  if (!space || spaces.length > 1) return listPublishedSitesWith(store, ids)
  return store.remember(
    `published sites with ${space.id}`,
    () => listPublishedSitesWith(store, ids),
    {
      organizationId: space.organization_id,
    },
  )
}
