import { robotsOf } from '../../content/customization/robots.ts'
import type { Settings } from '../../content/customization/schema.ts'
import type { PageHtml } from '../../content/html/page-html.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { branchOf } from '../place/order.ts'
import { addressOfPage, encodePath, pathOfPage } from '../place/page-address.ts'
import type { Place } from '../place/place.ts'
import type { FrameLink, Head } from '../views/model.ts'

type Parts = { settings: Settings; written: PageHtml; crumbs: readonly FrameLink[] }

/** Returns what the head of a page says to search engines and other programs. */
export function headOf(place: Place, node: PageNode, { settings, written, crumbs }: Parts): Head {
  const { open, base, resolved } = place
  const { content } = open.shown
  const address = addressOfPage(base, content, node)
  const canonical = canonicalBase(place) + encodePath(pathOfPage(content, node))
  const here = { title: node.title, href: address }
  return {
    title: node.title,
    description: node.facts?.frontMatter.description ?? written.summary,
    canonical,
    robots: robotsOf(
      { visibility: resolved.site.visibility, current: !resolved.preview },
      branchOf(content, node).map(({ facts }) => facts?.frontMatter ?? {}),
    ),
    image: settings.socialPreview.url,
    markdown: address.endsWith('/') ? `${address}README.md` : `${address}.md`,
    alternates: [],
    crumbs: [...crumbs, here].map(({ title, href }) => ({ title, href: new URL(href, canonical).href })),
  }
}

/** Returns the public base of the addresses of the pages of a place. */
export function canonicalBase({ resolved, path }: Pick<Place, 'resolved' | 'path'>): string {
  const tail = path.split('/').map(encodeURIComponent).join('/')
  const { canonicalUrl } = resolved
  return tail !== '' && canonicalUrl.endsWith(tail) ? canonicalUrl.slice(0, -tail.length) : canonicalUrl
}
