import type { Context } from '../../context.ts'
import { listPublishedSitesWith } from '../../store/sites/sites.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { baseOfSite, publishedUrl } from './addresses.ts'
import { viewSite } from './view-site.ts'

/**
 * Returns the published addresses of spaces by id: that on the oldest site with the audience that
 * is the visibility of the space. Spaces without a published address, also those that only share
 * links open, are left out.
 */
export function publishedUrlsOfSpaces(
  ctx: Context,
  spaces: readonly Pick<SpaceRow, 'id' | 'visibility' | 'organization_id'>[],
): Map<string, string> {
  const urls = new Map<string, string>()
  const shown = spaces.filter(
    ({ visibility }) => visibility !== 'private' && visibility !== 'share-link',
  )
  if (shown.length === 0) return urls

  const visibilities = new Map(shown.map(({ id, visibility }) => [id, visibility]))

  for (const site of listPublishedSitesWith(ctx.store, [...visibilities.keys()])) {
    const base = baseOfSite(ctx, site)
    for (const { space, path } of viewSite(ctx, site, { sees: () => true, seesEmpty: false })
      .siteSpaces) {
      if (visibilities.get(space.id) !== site.visibility || urls.has(space.id)) continue
      const url = publishedUrl(base, site, path)
      if (url !== undefined) urls.set(space.id, url)
    }
  }

  return urls
}
