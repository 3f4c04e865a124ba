import { type SiteFound, searchSite } from '../../actions/finding/search-site.ts'
import type { SiteHit } from '../../actions/finding/site-hits.ts'
import type { SiteSpaceView } from '../../actions/sites/view-site.ts'
import { Fault } from '../../errors.ts'
import { encodePath } from '../place/page-address.ts'
import type { Place } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { type Made, madeHtml } from '../sending/made.ts'
import type { FrameLink, MessagePage, SearchHit, SearchPage } from '../views/model.ts'
import { renderHits, renderPage } from '../views/render.tsx'
import { frameOf } from './frame.ts'
import { listingOf } from './listing.ts'
import { navOf } from './nav.ts'

/** The number of hits in the dialog, and on a page. */
const hitsOfPart = 8
const hitsOfPage = 20
const longestQuery = 200

/** Answers with what a search finds: a page, or with `part=1` the list for the dialog. */
export async function answerSearch(place: Place, asked: Record<string, unknown>): Promise<Made> {
  const { ctx, reader, resolved, signal } = place
  const textOf = (name: string): string => (typeof asked[name] === 'string' ? (asked[name] as string) : '')
  const query = textOf('q').trim().slice(0, longestQuery)
  const isPart = textOf('part') === '1'
  const scope = scopeOf(place, textOf('in'))
  const found = await searchSite(ctx, {
    siteSpaces: scope.siteSpaces,
    reader,
    query,
    current: resolved.siteSpace.row.id,
    limit: isPart ? hitsOfPart : hitsOfPage,
    opened: place.scope && place.open,
    signal,
  })
  const settings = settingsOf(place)
  const frame = await frameOf(place, settings)
  const page: SearchPage = {
    kind: 'search',
    head: {
      title: query || frame.words.search,
      description: '',
      canonical: '',
      robots: 'noindex',
      alternates: [],
      crumbs: [],
    },
    query,
    hits: found.hits.map(hit => hitOf(place, hit)),
    count: found.count,
    more: found.more,
    suggestion: suggestionOf(place, found, scope.name),
    filters: filtersOf(place, query, scope.name, frame.words.searchEverywhere),
    nav: isPart ? [] : navOf(listingOf(place, settings), undefined),
  }
  return madeHtml(isPart ? renderHits(frame, page) : renderPage(frame, page))
}

const suggestionOf = (place: Place, { suggestion }: SiteFound, scope: string): SearchPage['suggestion'] =>
  suggestion === undefined
    ? undefined
    : { query: suggestion, href: addressOfSearch(place, suggestion, scope) }

/** The most hits on a page that says that there is nothing here, and how long they are searched for. */
const hitsOfPath = 5
const longestSearchMs = 500

/**
 * Returns what the published content has for words of a path; undefined if that is nothing, or cannot be said now: the page
 * does not depend on it.
 */
export async function foundFor(place: Place, query: string): Promise<MessagePage['found']> {
  const { ctx, reader, resolved, signal } = place
  if (query === '' || place.scope) return undefined
  const { siteSpaces, name } = scopeOf(place, '')
  const current = resolved.siteSpace.row.id
  const limited = AbortSignal.any([signal, AbortSignal.timeout(longestSearchMs)])
  try {
    const search = { siteSpaces, reader, query, current, limit: hitsOfPath, signal: limited }
    const found = await searchSite(ctx, search)
    const { hits, count, more } = found
    if (hits.length === 0) return undefined
    return {
      query,
      hits: hits.map(hit => hitOf(place, hit)),
      count,
      more,
      suggestion: suggestionOf(place, found, name),
    }
  } catch (error) {
    const isBusy = limited.aborted || (error instanceof Fault && error.kind === 'unavailable')
    if (signal.aborted || !isBusy) throw error
    return undefined
  }
}

const addressOfSearch = ({ base }: Place, query: string, scope: string): string =>
  `${base}~gitbook/search?${new URLSearchParams({ q: query, ...(scope && { in: scope }) })}`

/** Returns the site spaces that are searched: of one section by its path, or those of the language and version that is open. */
function scopeOf(
  { view, resolved, scope }: Place,
  name: string,
): { siteSpaces: SiteSpaceView[]; name: string } {
  if (scope) return { siteSpaces: [resolved.siteSpace], name: '' }
  const section = view.sections.find(({ row }) => row.path === name)
  if (section) return { siteSpaces: section.siteSpaces, name }
  const { siteSpace } = resolved
  const others = view.siteSpaces.filter(each => each.section?.id !== siteSpace.section?.id && each.isDefault)
  return { siteSpaces: [siteSpace, ...others], name: '' }
}

/** Returns the sections that a search can be limited to; none for a site with a single one. */
function filtersOf(place: Place, query: string, name: string, everywhere: string): SearchPage['filters'] {
  const { sections } = place.view
  if (sections.length < 2 || place.scope) return []
  const filter = (title: string, path: string): FrameLink & { current: boolean } => ({
    title,
    href: addressOfSearch(place, query, path),
    current: path === name,
  })
  return [filter(everywhere, ''), ...sections.map(({ row }) => filter(row.title, row.path))]
}

function hitOf({ base: shownBase, siteBase, view, scope }: Place, hit: SiteHit): SearchHit {
  const { siteSpace, addressPath, section, ancestors, title } = hit
  const base = scope ? shownBase : siteBase + siteSpace.path
  const place = view.siteSpaces.length > 1 ? [siteSpace.section?.title ?? siteSpace.space.title] : []
  return {
    title: section ? section.heading : title,
    path: [...place, ...ancestors, ...(section ? [title] : [])].join(' / '),
    href: base + encodePath(addressPath) + (section ? `#${encodeURIComponent(section.anchor)}` : ''),
    passage: hit.passage,
  }
}
