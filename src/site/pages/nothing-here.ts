import { isOpenToAll } from '../../access/site-roles.ts'
import { findPage } from '../../actions/audience/find-page.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { addressOfPage } from '../../content/tree/page-address.ts'
import type { FrameLink } from '../../ui/parts/menu.tsx'
import type { SurfaceWords } from '../../ui/words/all.ts'
import { documentOf } from '../place/order.ts'
import type { SitePlace } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { madeHtml, type SiteResponse } from '../sending/made.ts'
import { pageById } from '../travel/same-page.ts'
import type { SearchResults } from '../views/model.ts'
import { renderPage } from '../views/render.tsx'
import { frameOf } from './frame.ts'
import { listingOf } from './listing.ts'
import { messageOf } from './message.ts'
import { navOf } from './nav.ts'
import { nearestPages } from './nearest.ts'
import { foundFor } from './search/answer-search.ts'

/**
 * Returns the page for a path without a page: with the pages whose titles and paths are like it.
 * With `unknownVersion`, the path names a version of the content that does not exist. With
 * `refused`, the reader may not read such versions, but may be able to after signing in.
 */
export async function nothingHere(
  place: SitePlace,
  { unknownVersion = false, refused = false } = {},
): Promise<SiteResponse> {
  const signIn = refused ? await signInFirst(place) : undefined
  if (signIn) return signIn

  const { base, path, open, scope } = place
  const { content } = open.shown
  const settings = settingsOf(place)
  const frame = await frameOf(place, settings)
  const pages = unknownVersion ? [] : waysOn(place)
  const links = pages.map(node => ({ title: node.title, href: addressOfPage(base, content, node) }))
  const query = unknownVersion ? undefined : wordsOf(path)
  const { found, isUnsettled } = await foundFor(place, query ?? '')
  const page = messageOf({
    status: 404,
    ...textOf(frame.words, unknownVersion ? 'version' : scope ? 'scope' : 'site'),
    links,
    query,
    found: found ? withoutPages(found, links) : undefined,
    nav: navOf(listingOf(place, settings), undefined),
  })

  return { ...madeHtml(renderPage(frame, page), {}, 404), isUnsettled }
}

const textOf = (
  words: SurfaceWords,
  what: 'version' | 'scope' | 'site',
): { title: string; text: string } =>
  ({
    version: { title: words.noVersion, text: words.noVersionText },
    scope: { title: words.notThere, text: words.notThereText },
    site: { title: words.notFound, text: words.notFoundText },
  })[what]

/**
 * Returns pages for a path without one: in other versions first the page that has the path now,
 * under its name there.
 */
function waysOn(place: SitePlace): PageNode[] {
  const { scope, path, open } = place
  const { content } = open.shown
  const now = scope && findPage(scope.current.shown.content, open.space.id, path)
  const here = now && pageById(place, now.id)
  const same = here && documentOf(here)
  return same ? [same] : nearestPages(content, path)
}

/**
 * Returns the page for a reader who asks for another version of a site that others may read, and is
 * not signed in; undefined for others.
 */
async function signInFirst(place: SitePlace): Promise<SiteResponse | undefined> {
  const { resolved, isSignedIn, path, siteBase, base } = place
  if (!isOpenToAll(resolved.site) || isSignedIn) return undefined

  const settings = settingsOf(place)
  const frame = await frameOf(place, settings)
  const location = base.slice(siteBase.length) + path
  const href = `${siteBase}~gitbook/auth/login?${new URLSearchParams({ location })}`
  const page = messageOf({
    status: 401,
    title: frame.words.signInToRead,
    text: frame.words.signInToReadText,
    links: [{ title: frame.words.signIn, href }],
    nav: navOf(listingOf(place, settings), undefined),
  })

  return madeHtml(renderPage(frame, page), {}, 401)
}

/**
 * Returns what a search finds without the pages that are linked already; undefined if nothing is
 * left.
 */
function withoutPages(
  found: SearchResults,
  links: readonly FrameLink[],
): SearchResults | undefined {
  const linked = new Set(links.map(({ href }) => href))
  const hits = found.hits.filter(({ href }) => !linked.has(href.replace(/#.*$/, '')))
  return hits.length === 0 ? undefined : { ...found, hits }
}

/** Returns the words of the last part of a path, for a search. */
const wordsOf = (path: string): string =>
  (path.split('/').at(-1) ?? '')
    .replace(/\.\w{1,8}$/, '')
    .replace(/[-_.+]+/g, ' ')
    .slice(0, 100)
    .trim()
