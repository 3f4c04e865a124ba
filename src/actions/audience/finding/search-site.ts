import type { Reader } from '../../../access/asker.ts'
import type { SearchTerm } from '../../../content/search/words.ts'
import type { Context } from '../../../context.ts'
import { isGitError } from '../../../git/values/errors.ts'
import { mustGet } from '../../../lib/must-get.ts'
import { searchSource } from '../../search/search-source.ts'
import type { SiteSpaceView } from '../../sites/view-site.ts'
import { type OpenContent, openContent } from '../open-content.ts'
import { findForReader } from './find-for-reader.ts'
import { findInOpened, inPlace } from './find-in.ts'
import type { Evaluations } from './found-by-reader.ts'
import { searchWords } from './search-words.ts'
import { type FoundOnSite, type HitContent, type SiteHit, siteHits } from './site-hits.ts'
import { titlesIn } from './titles-of-links.ts'
import type { Wanted } from './turns.ts'

/**
 * The maximum number of pages of each space that a search finds, whatever its limit: the same pages
 * are compared for the dialog and for the page of results.
 */
const mostFound = 25

/** A search of a site by a reader. */
export type SiteSearch = {
  /** The site spaces to search, in the order of the site: the reader sees all of them. */
  siteSpaces: readonly SiteSpaceView[]
  reader: Reader
  query: string
  /** The id of the open site space, whose pages come first among equals. */
  current?: string | undefined
  /** Whether the pages of the section of the open site space come before all others. */
  isSectionFirst?: boolean | undefined
  /** How many hits are wanted. */
  limit: number
  /** Content to search instead of what is published: of the space of the only site space. */
  opened?: OpenContent | undefined
  signal: AbortSignal
}

/** What a search of a site finds. */
export type SiteFound = {
  hits: SiteHit[]
  /**
   * The number of found pages; with `more`, there may be others: of each space, only some are found.
   */
  count: number
  /** Whether there are hits after these. */
  more: boolean
} & Pick<Awaited<ReturnType<typeof searchWords>>, 'suggestion' | 'without'>

/**
 * Searches site spaces as their reader is shown them, best pages first. Published content may lack
 * changes of the last few seconds. Throws 'unavailable' while the index of `opened` is being built.
 */
export async function searchSite(ctx: Context, search: SiteSearch): Promise<SiteFound> {
  const { query, signal, siteSpaces, current } = search
  const find = search.opened
    ? finderInOpened(search, search.opened)
    : finderInPublished(ctx, search)
  const open = siteSpaces.find(({ row }) => row.id === current) ?? siteSpaces[0]
  const language = open?.space.language
  const { result, terms, suggestion, without } = await searchWords(ctx, {
    query,
    language,
    most: mostFound,
    signal,
    find,
    pagesOf: found => found,
  })

  return { ...(await answer(ctx, search, terms, result)), suggestion, without }
}

/** Finds pages, best first; each evaluated page is counted. */
type Find = (wanted: Wanted, evaluations: Evaluations) => Promise<FoundOnSite[]>

/** Returns what finds pages of opened content. */
function finderInOpened({ siteSpaces }: SiteSearch, opened: OpenContent): Find {
  const siteSpace = siteSpaces[0]!
  const source = searchSource(opened.view, opened.whole, opened.mayKeep)
  return async (wanted, evaluations) => {
    const pages = (await findInOpened(opened, source, wanted, evaluations)).found
    return pages.slice(0, wanted.most).map(page => ({ ...inPlace(opened, page), siteSpace }))
  }
}

/**
 * Returns what finds the published pages of site spaces: those of the open one first among equals.
 */
function finderInPublished(ctx: Context, search: SiteSearch): Find {
  const { siteSpaces, reader, current, isSectionFirst = false, signal } = search
  const bySpace = new Map<string, { siteSpace: SiteSpaceView; order: number }>()
  const section = siteSpaces.find(({ row }) => row.id === current)?.section?.id

  for (const [order, siteSpace] of siteSpaces.entries()) {
    const isCurrent = siteSpace.row.id === current
    if (isCurrent || !bySpace.has(siteSpace.space.id))
      bySpace.set(siteSpace.space.id, { siteSpace, order: isCurrent ? -1 : order })
  }

  const spaces = [...bySpace.values()].map(({ siteSpace }) => siteSpace.space)

  return async (wanted, evaluations) => {
    if (wanted.terms.length === 0) return []
    const found = await findForReader(ctx, reader, spaces, { ...wanted, signal }, evaluations)
    const pages = found.flatMap(({ id, pages }) => {
      const { siteSpace, order } = mustGet(bySpace, id)
      const isOpen =
        siteSpace.row.id === current || (section !== undefined && siteSpace.section?.id === section)
      const group = isSectionFirst && isOpen ? 0 : 1
      return pages.map(page => ({ group, order, page: { ...page, siteSpace } }))
    })

    pages.sort(
      (a, b) =>
        a.group - b.group ||
        a.page.rank - b.page.rank ||
        a.order - b.order ||
        a.page.row.id - b.page.row.id,
    )

    return pages.map(({ page }) => page)
  }
}

/** Returns the first of found pages as hits. */
async function answer(
  ctx: Context,
  search: SiteSearch,
  terms: readonly SearchTerm[],
  found: readonly FoundOnSite[],
): Promise<Pick<SiteFound, 'hits' | 'count' | 'more'>> {
  const { limit, signal } = search
  const wanted = found.slice(0, limit)
  const contents = await contentsOf(ctx, search, wanted)
  const hits = await siteHits(ctx.store, wanted, terms, contents, signal)
  return {
    hits,
    count: found.length,
    more: found.length > limit,
  }
}

/** Returns what hits tell of the spaces with found pages, by the id of the space. */
async function contentsOf(
  ctx: Context,
  { reader, opened, signal }: SiteSearch,
  found: readonly FoundOnSite[],
): Promise<Map<string, HitContent>> {
  const contents = new Map<string, HitContent>()
  const spaces = new Map(found.map(({ siteSpace: { space } }) => [space.id, space]))
  for (const space of spaces.values()) {
    const granted = { space, reader, scope: { kind: 'space' } } as const
    try {
      const open =
        opened ?? (await openContent(ctx, granted, { computed: true, request: { signal } }))
      const { content } = open.shown
      contents.set(space.id, {
        landing: content.pageByPath.get('')?.id,
        titles: titlesIn(content),
      })
    } catch (error) {
      // The index still finds pages of a damaged repository.
      if (!isGitError(error) || signal.aborted) throw error
    }
  }

  return contents
}
