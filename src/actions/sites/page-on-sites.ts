import type { Reader } from '../../access/asker.ts'
import { isOpenToAll, roleOnSite } from '../../access/site-roles.ts'
import { mayReadLive } from '../../access/space-role.ts'
import { effectiveSettings } from '../../content/customization/stored.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { listPublishedSitesWith } from '../../store/sites/sites.ts'
import { rememberedStructure } from '../../store/sites/structure.ts'
import type { SiteRow, SpaceRow } from '../../store/tables/rows.ts'
import type { Audience } from '../reading/audience.ts'
import { baseOfSite, publishedUrl } from './addresses.ts'
import { readerClaims } from './reader-claims.ts'
import { type SearchLinks, searchLinks, variantPages } from './variant-pages.ts'
import { rememberedView, viewForReader, viewWithClaims } from './view-for-reader.ts'
import type { SiteSpaceView, SiteView } from './view-site.ts'

/** The most sites of a space that are looked at, the oldest first. */
const mostSites = 20

/** Who asks: a user, or a reader of one site. */
export type Asking =
  | { user: { id: string }; reader?: undefined }
  | { user?: undefined; reader: Reader }

/** A page at one of the sites that show its space. */
export type PageOnSite = SearchLinks & { site: SiteRow; siteSpace: SiteSpaceView }

/**
 * Returns a page as the published sites that the asker may see show it to search engines: to
 * visitors without claims. For a reader, their site as they see it. `contentFor` returns the content
 * of the space as an audience is shown it. Sites that only a share link opens have no address for
 * all, and are left out.
 */
export async function pageOnSites(
  ctx: Context,
  { space, pageId, asking }: { space: SpaceRow; pageId: string; asking: Asking },
  contentFor: (audience: Audience) => Promise<ContentTree>,
): Promise<PageOnSite[]> {
  const found: PageOnSite[] = []
  for (const site of sitesFor(ctx, space, asking)) {
    const base = publishedUrl(baseOfSite(ctx, site), site, '')
    const { view, audience } = await viewOf(ctx, site, asking)
    const siteSpace = view.siteSpaces.find(each => each.space.id === space.id)
    if (base === undefined || !siteSpace) continue

    const content = await contentFor(audience)
    const page = content.pageById.get(pageId)
    if (page?.type !== 'document') continue

    const settings = effectiveSettings(site.customization, siteSpace.row.override)
    const shown = { ctx, view, siteSpace, settings, content, audience }
    const variants = await variantPages(shown, page)
    const links = await searchLinks(shown, page, { base, variants })
    found.push({ site, siteSpace, ...links })
  }

  return found
}

function sitesFor(ctx: Context, space: SpaceRow, { user, reader }: Asking): SiteRow[] {
  if (reader) return [reader.site]
  return listPublishedSitesWith(ctx.store, [space.id])
    .filter(site => roleOnSite(ctx, site, user.id) !== null)
    .slice(0, mostSites)
}

async function viewOf(
  ctx: Context,
  site: SiteRow,
  { user, reader }: Asking,
): Promise<{ view: SiteView; audience: Audience }> {
  const read = readerClaims(ctx, reader ?? { site, tokenClaims: {} })
  const audience = { claims: read.claims, claimsId: read.id }
  if (reader) return { view: (await viewForReader(ctx, reader)).view, audience }
  if (isOpenToAll(site)) return { view: await rememberedView(ctx, site, read), audience }

  const ids = rememberedStructure(ctx.store, site).siteSpaces.map(({ space_id }) => space_id)
  const readable = new Set(ids.filter(id => mayReadLive(ctx, id, user.id)))
  return { view: (await viewWithClaims(ctx, site, read.claims, readable)).view, audience }
}
