import type { RequestFacts } from '../../access/asker.ts'
import type { PublishedGrant } from '../../access/guards/content.ts'
import { type Address, parseAddress } from '../../content/site/address.ts'
import { pagePathBelowBase } from '../../content/site/structure.ts'
import type { Context } from '../../context.ts'
import type { SiteRow, SpaceRow } from '../../store/tables/rows.ts'
import type { RedirectDestination } from '../../store/tables/sites.ts'
import { findSiteAt } from '../sites/find-site.ts'
import { structureOf } from '../sites/follow-structure.ts'
import type { SiteSpaceView, SiteView } from '../sites/view-site.ts'
import { openContent } from './open-content.ts'

/** A site as a caller sees it, and how the caller reads the content of its spaces. */
export type Looking = {
  view: SiteView
  grant: (space: SpaceRow) => PublishedGrant
  /** The share link that a reader came with. */
  shareLinkId?: string | undefined
  /** Whether a reader previews the site. */
  isPreview?: boolean
  request: Pick<RequestFacts, 'signal'>
}

/**
 * Returns the path below the base of the site to which a destination leads, encoded; undefined if
 * it is gone or hidden from the caller.
 */
export async function pathTo(
  ctx: Context,
  looking: Looking,
  destination: Exclude<RedirectDestination, { kind: 'external' }>,
): Promise<string | undefined> {
  const { sections, siteSpaces } = looking.view
  if (destination.kind === 'site-section') {
    const section = sections.find(({ row }) => row.id === destination.siteSectionId)
    return section && section.siteSpaces.length > 0 ? section.path : undefined
  }
  const siteSpace = siteSpaces.find(({ row }) => row.id === destination.siteSpaceId)
  if (!siteSpace || destination.kind === 'site-space') return siteSpace?.path
  return pathToPage(ctx, looking, siteSpace, destination.pageId)
}

async function pathToPage(
  ctx: Context,
  { view, grant, request }: Looking,
  siteSpace: SiteSpaceView,
  pageId: string,
): Promise<string | undefined> {
  const { shown } = await openContent(ctx, grant(siteSpace.space), { computed: true, request })
  const page = shown.content.pageById.get(pageId)
  // Links and computed entries have no address.
  if (!page || page.path === '') return undefined
  if (shown.content.pageByPath.get('')?.id === page.id) return siteSpace.path
  const path = pagePathBelowBase(structureOf(ctx, view), siteSpace.row.id, page.path.split('/'))
  return path?.split('/').map(encodeURIComponent).join('/')
}

/** Returns whether a URL is an address of the site, also a former one. */
export function isOwn(ctx: Context, site: SiteRow, url: string): boolean {
  const address = addressOf(url)
  return address !== undefined && findSiteAt(ctx, address)?.site.id === site.id
}

/** Returns the parts of an address; undefined for one that cannot lead to published content. */
function addressOf(url: string): Address | undefined {
  try {
    return parseAddress(url)
  } catch {
    return undefined
  }
}
