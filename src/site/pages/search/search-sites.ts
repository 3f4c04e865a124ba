import { admitReader } from '../../../access/reader.ts'
import type { SignedInUser } from '../../../access/session.ts'
import { searchSite } from '../../../actions/audience/finding/search-site.ts'
import { viewForReader } from '../../../actions/sites/view-for-reader.ts'
import type { Context } from '../../../context.ts'
import { Fault } from '../../../errors.ts'
import { resolve } from '../../place/open-place.ts'
import type { SiteOfMember } from '../../place/sites-of-member.ts'
import type { SearchHit, SearchResults } from '../../views/model.ts'
import { hitOf } from './answer-search.ts'
import { searchScope } from './search-scope.ts'

/** The most sites that one search of a server covers. */
const mostSearched = 20

/** `base` is the path or address below which a reader finds the pages of a site. */
type Searched = SiteOfMember & { base: string }
type ServerSearch = {
  query: string
  limit: number
  user: SignedInUser | undefined
  signal: AbortSignal
}

/**
 * Returns what a search of several sites finds, as the reader of each is shown it: the best page of
 * each site first, then the second best. The path of a hit begins with the title of its site.
 */
export async function searchSites(
  ctx: Context,
  sites: readonly Searched[],
  asked: ServerSearch,
): Promise<SearchResults> {
  const results: SearchResults[] = []
  for (const site of sites.slice(0, mostSearched)) {
    const found = await searchOne(ctx, site, asked)
    if (found) results.push(found)
  }

  const { query, limit } = asked
  const shown = bestOf(results)
  const count = shown.reduce((sum, found) => sum + found.count, 0)
  const longest = Math.max(0, ...shown.map(({ hits }) => hits.length))
  const hits = Array.from({ length: longest }, (_, at) =>
    shown.flatMap(found => found.hits[at] ?? []),
  ).flat()

  return {
    query,
    hits: hits.slice(0, limit),
    count,
    more: hits.length > limit || shown.some(({ more }) => more),
    suggestion: shown[0]?.suggestion,
    without: shown[0]?.without,
  }
}

/**
 * Returns the results that fit a query best: of the whole query, else without some of its words,
 * else of the first words that were searched instead.
 */
function bestOf(results: readonly SearchResults[]): readonly SearchResults[] {
  const found = results.filter(({ hits }) => hits.length > 0)
  const same = (one: SearchResults, other: SearchResults) =>
    one.suggestion?.query === other.suggestion?.query &&
    String(one.without ?? '') === String(other.without ?? '')
  const least = ({ suggestion, without }: SearchResults) =>
    (suggestion ? 1_000 : 0) + (without?.length ?? 0)
  const [first] = [...found].sort((a, b) => least(a) - least(b))
  return first ? found.filter(each => same(each, first)) : []
}

/** Searches one site; undefined for a site that its reader may not read at the moment. */
async function searchOne(
  ctx: Context,
  { site, address, base: siteBase }: Searched,
  { query, limit, user, signal }: ServerSearch,
): Promise<SearchResults | undefined> {
  const resolved = await resolveFor(ctx, address, user)
  const reader = resolved && admitReader(ctx, resolved.reading)
  if (!reader || 'unusable' in reader) return undefined

  const { view } = await viewForReader(ctx, reader)
  const place = { view, resolved, siteBase, base: siteBase, scope: undefined }
  const { siteSpaces } = searchScope(place, '')
  const current = resolved.siteSpace.row.id
  const found = await searchSite(ctx, { siteSpaces, reader, query, current, limit, signal })
  const { hits, count, more, suggestion, without } = found
  const named = (hit: SearchHit) => ({
    ...hit,
    path: [site.title, hit.path].filter(Boolean).join(' / '),
  })

  return {
    query,
    hits: hits.map(hit => named(hitOf(place, hit))),
    count,
    more,
    without,
    suggestion:
      suggestion === undefined
        ? undefined
        : { query: suggestion, href: `?${new URLSearchParams({ q: suggestion })}` },
  }
}

async function resolveFor(ctx: Context, address: string, user: SignedInUser | undefined) {
  try {
    const resolved = await resolve(ctx, {
      address,
      isAgent: false,
      jwtToken: undefined,
      session: async () => undefined,
      unsigned: undefined,
      previewer: undefined,
      user,
    })
    return resolved.kind === 'content' ? resolved : undefined
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
