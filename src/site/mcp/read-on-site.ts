import { findPageOrFormer } from '../../actions/audience/find-page.ts'
import { openContent } from '../../actions/audience/open-content.ts'
import type { SiteSpaceView } from '../../actions/sites/view-site.ts'
import { encodePath } from '../../content/tree/page-address.ts'
import { canonicalSiteBase } from '../place/canonical.ts'
import { documentOf } from '../place/order.ts'
import type { SitePlace } from '../place/place.ts'
import { markdownText } from '../text/markdown-text.ts'

/** The most characters of a page. */
const longestText = 500_000

/**
 * Returns the Markdown of the page of the site at an address, or at a path below the site, as its
 * reader is shown it; undefined if there is none. The end of a page with more than 500,000
 * characters is left out.
 */
export async function readOnSite(place: SitePlace, address: string): Promise<string | undefined> {
  const path = pathBelowSite(place, address.trim())
  const at = path === undefined ? undefined : siteSpaceAt(place, path)
  if (!at) return undefined

  const there = await placeAt(place, at)
  const found = await findPageOrFormer(there.open, at.path)
  const node = found && documentOf(found)
  if (!node) return undefined

  const { text } = await markdownText(there, node)
  if (text.length <= longestText) return text

  return `${text.slice(0, longestText).toWellFormed()}\n\n(The rest of the page is left out.)\n`
}

/**
 * Returns the path of an address below the site, decoded; undefined for an address outside of it.
 */
function pathBelowSite(place: SitePlace, address: string): string | undefined {
  const base = new URL(canonicalSiteBase(place))
  const isWhole = URL.canParse(address)

  // A second slash or backslash at the start would begin a host.
  const { origin, pathname } = new URL(isWhole ? address : address.replace(/^[/\\]*/, '/'), base)
  const known = [base.pathname, place.siteBase].find(each => pathname.startsWith(each))
  if (isWhole && (origin !== base.origin || known === undefined)) return undefined

  try {
    return decodeURIComponent(pathname.slice(known === undefined ? 1 : known.length))
  } catch {
    return undefined
  }
}

type PathInSite = { siteSpace: SiteSpaceView; path: string }

/** Returns the site space with the longest path that begins a path, and the rest of the path. */
function siteSpaceAt({ view }: SitePlace, path: string): PathInSite | undefined {
  const wanted = `${path}/`
  const [siteSpace] = view.siteSpaces
    .filter(each => wanted.startsWith(each.path))
    .sort((a, b) => b.path.length - a.path.length)
  return siteSpace && { siteSpace, path: wanted.slice(siteSpace.path.length).replace(/\/+$/, '') }
}

/**
 * Returns the place at a path of a site space, with the content that the reader of another place is
 * shown there.
 */
async function placeAt(place: SitePlace, { siteSpace, path }: PathInSite): Promise<SitePlace> {
  const { ctx, reader, resolved, signal, siteBase } = place
  const base = siteBase + siteSpace.path
  const canonicalUrl = canonicalSiteBase(place) + siteSpace.path + encodePath(path)
  const there = { ...resolved, siteSpace, basePath: base, pathname: path, canonicalUrl }
  const granted = { space: siteSpace.space, reader, scope: { kind: 'space' } } as const
  const isHere = siteSpace.row.id === resolved.siteSpace.row.id
  const open = isHere
    ? place.open
    : await openContent(ctx, granted, { computed: true, request: { signal } })

  return { ...place, resolved: there, open, base, path }
}
