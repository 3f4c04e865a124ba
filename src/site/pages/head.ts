import { searchLinks } from '../../actions/sites/variant-pages.ts'
import { robotsOf } from '../../content/customization/robots.ts'
import type { Settings } from '../../content/customization/schema.ts'
import type { PageHtml } from '../../content/html/page-html.ts'
import { branchOf } from '../../content/tree/branch.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { addressOfPage, markdownAddress } from '../../content/tree/page-address.ts'
import type { FrameLink } from '../../ui/parts/menu.tsx'
import { canonicalBase, canonicalSiteBase } from '../place/canonical.ts'
import type { SitePlace } from '../place/place.ts'
import { isForAgents } from '../place/rights.ts'
import { shareImagePath } from '../place/share-card.ts'
import type { Frame, Head } from '../views/model.ts'
import { shownAt } from './structure-links.ts'

type Parts = {
  settings: Settings
  written: PageHtml
  crumbs: readonly FrameLink[]
  variants: Frame['variants']
  feed?: string | undefined
}

/** Returns what the head of a page says to search engines and other programs. */
export async function headOf(
  place: SitePlace,
  node: PageNode,
  { settings, written, crumbs, variants, feed }: Parts,
): Promise<Head> {
  const { open, base, resolved } = place
  const { content } = open.shown
  const address = addressOfPage(base, content, node)

  // What readers of the site do not see has no public address.
  const isCurrent = !resolved.preview && !place.scope
  const own = canonicalBase(place)
  const named = { base: canonicalSiteBase(place), variants }
  const links = isCurrent
    ? await searchLinks(shownAt(place, settings), node, named)
    : { canonical: '', alternates: [] }
  const here = { title: node.title, href: address }

  return {
    title: node.title,
    description: node.facts?.frontMatter.description ?? written.summary,
    ...links,
    robots: robotsOf(
      { visibility: resolved.site.visibility, current: isCurrent },
      branchOf(content, node).map(({ facts }) => facts?.frontMatter ?? {}),
    ),
    image: settings.socialPreview.url ?? shareImageOf(place, node, settings),
    markdown: isForAgents(place) ? markdownAddress(address) : undefined,
    feed,
    crumbs: isCurrent
      ? [...crumbs, here].map(({ title, href }) => ({
          title,
          href: href.startsWith(base) ? own + href.slice(base.length) : href,
        }))
      : [],
  }
}

/**
 * Returns the public address of the image of a page that the server draws; undefined where it draws
 * none.
 */
function shareImageOf(place: SitePlace, node: PageNode, settings: Settings): string | undefined {
  const path = shareImagePath(place, node, settings)
  return path && canonicalBase(place) + path
}
