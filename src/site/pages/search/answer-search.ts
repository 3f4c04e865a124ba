import { type SiteFound, searchSite } from '../../../actions/audience/finding/search-site.ts'
import type { SiteHit } from '../../../actions/audience/finding/site-hits.ts'
import { encodePath } from '../../../content/tree/page-address.ts'
import { Fault } from '../../../errors.ts'
import { findSearchSpace, isIndexed } from '../../../store/search/search-index.ts'
import type { Parameters } from '../../place/parameters.ts'
import type { SitePlace } from '../../place/place.ts'
import { settingsOf } from '../../place/settings-of-place.ts'
import { keptHeaders } from '../../sending/headers.ts'
import { madeHtml, type SiteResponse } from '../../sending/made.ts'
import type { Frame, MessagePage, SearchHit, SearchPage } from '../../views/model.ts'
import { renderHits, renderPage } from '../../views/render.tsx'
import { frameOf } from '../frame.ts'
import { listingOf } from '../listing.ts'
import { navOf } from '../nav.ts'
import { searchFilters, searchScope } from './search-scope.ts'

/** The number of hits in the dialog, and on a page. */
const hitsOfPart = 8
const hitsOfPage = 20
const longestQuery = 200

/** Returns what a request searches, and how many hits its answer has. */
export function readSearch({ q = '', part }: Readonly<Record<string, string | undefined>>) {
  const isPart = part === '1'
  return {
    query: q.trim().slice(0, longestQuery),
    isPart,
    limit: isPart ? hitsOfPart : hitsOfPage,
  }
}

/**
 * Reports whether the index has the pages of a place. If not, what a search finds changes without a
 * change of the content. The answers of sites with several spaces are kept until the next write of
 * any row, also of the index.
 */
const isIndexCurrent = ({ ctx, open }: SitePlace): boolean =>
  isIndexed(findSearchSpace(ctx.store, open.space.id), open.view.oid)

/** Answers with what a search finds: a page, or with `part=1` the list for the dialog. */
export async function answerSearch(place: SitePlace, asked: Parameters): Promise<SiteResponse> {
  const { ctx, reader, resolved, signal } = place
  const { query, isPart, limit } = readSearch(asked)
  const scope = searchScope(place, asked.in ?? '')
  const isUnsettled = !isIndexCurrent(place)
  const found = await searchSite(ctx, {
    siteSpaces: scope.siteSpaces,
    reader,
    query,
    current: resolved.siteSpace.row.id,
    isSectionFirst: true,
    limit,
    opened: place.scope && place.open,
    signal,
  })
  const settings = settingsOf(place)
  const frame = await frameOf(place, settings)
  const html = searchHtml(frame, isPart, {
    query,
    hits: found.hits.map(hit => hitOf(place, hit)),
    count: found.count,
    more: found.more,
    suggestion: suggestionOf(place, found, scope.name),
    without: found.without,
    scope: scope.name,
    all: addressOfSearch(place, query, scope.name),
    filters: searchFilters(place, scope, {
      everywhere: frame.words.searchEverywhere,
      addressOf: name => addressOfSearch(place, query, name),
    }),
    nav: isPart ? [] : navOf(listingOf(place, settings), undefined),
  })

  const words = query.toLowerCase().replace(/\s+/g, ' ')
  // What the index lacks may be there.
  const isFound = found.hits.length > 0 || isUnsettled

  return {
    ...madeHtml(html, keptHeaders(place, 'max-age=60')),
    isUnsettled,
    ...(words !== '' && {
      read: { kind: 'search_type_query', words, isFound, isTyped: isPart },
    }),
  }
}

/** Returns the page with what a search finds, or with `isPart` the list for the dialog. */
export function searchHtml(
  frame: Frame,
  isPart: boolean,
  found: Omit<SearchPage, 'kind' | 'head'>,
): string {
  const head = {
    title: found.query || frame.words.search,
    description: '',
    canonical: '',
    robots: 'noindex',
    alternates: [],
    crumbs: [],
  }
  const page: SearchPage = { ...found, kind: 'search', head }
  return isPart ? renderHits(frame, page) : renderPage(frame, page)
}

const suggestionOf = (
  place: SitePlace,
  { suggestion }: SiteFound,
  scope: string,
): SearchPage['suggestion'] =>
  suggestion === undefined
    ? undefined
    : { query: suggestion, href: addressOfSearch(place, suggestion, scope) }

/** Limits of the search on a "not found" page: its number of hits, and milliseconds. */
const hitsOfPath = 5
const longestSearchMs = 500

/**
 * What a search finds, if it finds anything; unsettled if it did not end, or the index is being
 * written.
 */
type FoundForPath = { found: MessagePage['found']; isUnsettled: boolean }

/**
 * Searches the published content for the words of a path. Finds nothing if the time is up or the
 * search is unavailable: the "not found" page is complete without hits.
 */
export async function foundFor(place: SitePlace, query: string): Promise<FoundForPath> {
  const { ctx, reader, resolved, signal } = place
  if (query === '' || place.scope) return { found: undefined, isUnsettled: false }
  const { siteSpaces, name } = searchScope(place, '')
  const current = resolved.siteSpace.row.id
  const isUnsettled = !isIndexCurrent(place)
  const limited = AbortSignal.any([signal, AbortSignal.timeout(longestSearchMs)])

  try {
    const search = {
      siteSpaces,
      reader,
      query,
      current,
      isSectionFirst: true,
      limit: hitsOfPath,
      signal: limited,
    }
    const found = await searchSite(ctx, search)
    const { hits, count, more } = found
    if (hits.length === 0) return { found: undefined, isUnsettled }

    const shown = {
      query,
      hits: hits.map(hit => hitOf(place, hit)),
      count,
      more,
      suggestion: suggestionOf(place, found, name),
      without: found.without,
    }

    return { found: shown, isUnsettled }
  } catch (error) {
    const isBusy = limited.aborted || (error instanceof Fault && error.kind === 'unavailable')
    if (signal.aborted || !isBusy) throw error
    return { found: undefined, isUnsettled: true }
  }
}

const addressOfSearch = ({ base }: SitePlace, query: string, scope: string): string =>
  `${base}~gitbook/search?${new URLSearchParams({ q: query, ...(scope && { in: scope }) })}`

/** What the address and the path of a hit depend on. */
type HitPlace = Pick<SitePlace, 'base' | 'siteBase' | 'scope' | 'view' | 'resolved'>

/** Returns a hit with its address, and with the titles of what surrounds its page. */
export function hitOf(place: HitPlace, hit: SiteHit): SearchHit {
  const { addressPath, section, ancestors, title } = hit
  const base = place.scope ? place.base : place.siteBase + hit.siteSpace.path
  return {
    title: section ? section.heading : title,
    path: [...partsOf(place, hit), ...ancestors, ...(section ? [title] : [])].join(' / '),
    href:
      base + encodePath(addressPath) + (section ? `#${encodeURIComponent(section.anchor)}` : ''),
    passage: hit.passage,
  }
}

/** Returns the titles of the section and the variant of a hit, where a site has several. */
function partsOf({ view, resolved }: HitPlace, { siteSpace }: SiteHit): string[] {
  if (view.siteSpaces.length < 2) return []
  const { section, space, row, isDefault } = siteSpace
  if (!section) return [space.title]
  const isOther = !isDefault && row.id !== resolved.siteSpace.row.id
  return isOther ? [section.title, space.title] : [section.title]
}
