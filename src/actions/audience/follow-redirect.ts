import type { Reader, RequestFacts } from '../../access/asker.ts'
import { isPreview } from '../../access/reader.ts'
import { foldSegments, matchedBy, sourcesMatching } from '../../content/site/redirect-source.ts'
import type { Context } from '../../context.ts'
import { findRedirectsFrom } from '../../store/sites/redirects.ts'
import type { SiteRedirectRow } from '../../store/tables/rows.ts'
import { viewForReader } from '../sites/view-for-reader.ts'
import type { SiteView } from '../sites/view-site.ts'
import { isOwn, type Looking, pathTo } from './destination.ts'

/**
 * A redirect, and where it leads: to an encoded path below the base of the site, or to an address
 * elsewhere.
 */
type Redirected = { row: SiteRedirectRow } & (
  | { kind: 'path'; path: string }
  | { kind: 'external'; url: string }
)

/**
 * Returns where the redirect from a path of a site leads for a caller; undefined if there is none,
 * or if its destination is gone or hidden from the caller. `segments` are those of the path below
 * the base of the site, decoded. A redirect from the path itself comes before wildcards, and a
 * longer wildcard before a shorter one. Drafts are not followed.
 */
export async function followRedirect(
  ctx: Context,
  looking: Looking,
  segments: readonly string[],
): Promise<Redirected | undefined> {
  const { site } = looking.view
  const row = findMatch(ctx, site.id, foldSegments(segments))
  if (!row) return undefined

  const { destination } = row
  const rest = row.capture_wildcard === 1 ? encoded(matchedBy(row.source_folded, segments)) : ''

  if (destination.kind === 'external') {
    const url = withRest(destination.url, rest)
    // The site may have got the address since the redirect was made.
    return isOwn(ctx, site, url) ? undefined : { row, kind: 'external', url }
  }

  const base = await pathTo(ctx, looking, destination)
  if (base === undefined || (rest !== '' && isBelow(base, rest, segments))) return undefined

  return { row, kind: 'path', path: joined(base, rest) }
}

/** Returns the redirect of a site that matches a folded path. */
function findMatch(
  { store }: Context,
  siteId: string,
  folded: string,
): SiteRedirectRow | undefined {
  const sources = sourcesMatching(folded)
  const found = findRedirectsFrom(store, siteId, 0, sources)
  const matches = (row: SiteRedirectRow) =>
    // The source "/a/%2A" names a star.
    row.source_folded === folded || row.source.endsWith('*')
  return sources.flatMap(source => found.get(source) ?? []).find(matches)
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** Returns a path or URL path with more at its end, and one slash where `rest` begins with one. */
const joined = (base: string, rest: string): string =>
  rest.startsWith('/')
    ? base.replace(/\/$/, '') + (base === '' ? rest.slice(1) : rest)
    : base + rest

function withRest(address: string, rest: string): string {
  if (rest === '') return address
  const url = new URL(address)
  url.pathname = joined(url.pathname, rest)
  return url.href
}

/**
 * Returns whether a path begins with a destination: with more appended, that would match again and
 * grow without end.
 */
function isBelow(base: string, rest: string, segments: readonly string[]): boolean {
  const start = rest.startsWith('/') ? joined(base, '/') : base
  return (
    base !== '' &&
    foldSegments(segments).startsWith(foldSegments(start.split('/').map(decodeURIComponent)))
  )
}

/** Returns how a reader sees a site and reads the content of its spaces. */
export async function lookingAsReader(
  ctx: Context,
  reader: Reader,
  request: Pick<RequestFacts, 'signal'>,
  known?: SiteView,
): Promise<Looking> {
  return {
    view: known ?? (await viewForReader(ctx, reader)).view,
    grant: space => ({ space, reader, scope: { kind: 'space' } }),
    shareLinkId: reader.shareLinkId,
    isPreview: isPreview(reader),
    request,
  }
}
