import { type SiteFound, searchSite } from '../../actions/audience/finding/search-site.ts'
import { encodePath } from '../../content/tree/page-address.ts'
import { canonicalSiteBase } from '../place/canonical.ts'
import type { SitePlace } from '../place/place.ts'

/**
 * A found page or section. `path` is the path of the page below the site, `url` its public address.
 */
type Hit = { title: string; path: string; url: string; passage: string }

export const longestQuery = 200

const mostHits = 10

/**
 * Searches the site of a place as its reader is shown it; with the words that were searched
 * instead or left out, if nothing has those of the query.
 */
export async function findOnSite(
  place: SitePlace,
  query: string,
): Promise<{ hits: Hit[] } & Pick<SiteFound, 'suggestion' | 'without'>> {
  const { ctx, reader, resolved, view, signal } = place
  const { siteSpace } = resolved
  const others = view.siteSpaces.filter(
    each => each.section?.id !== siteSpace.section?.id && each.isDefault,
  )
  const found = await searchSite(ctx, {
    siteSpaces: [siteSpace, ...others],
    reader,
    query: query.trim(),
    current: siteSpace.row.id,
    limit: mostHits,
    signal,
  })
  const base = canonicalSiteBase(place)
  const hits = found.hits.map(
    ({ title, section, siteSpace: { path }, pagePath, addressPath, passage }) => ({
      title: section ? `${title}: ${section.heading}` : title,
      path: path + pagePath,
      url:
        base +
        path +
        encodePath(addressPath) +
        (section ? `#${encodeURIComponent(section.anchor)}` : ''),
      passage: passage.map(({ text }) => text).join(''),
    }),
  )

  return { hits, suggestion: found.suggestion, without: found.without }
}
