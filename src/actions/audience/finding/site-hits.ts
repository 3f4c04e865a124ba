import {
  finderOf,
  markerOf,
  type PassagePart,
  passagesOf,
} from '../../../content/search/passages.ts'
import type { Section } from '../../../content/search/sections.ts'
import type { SearchTerm } from '../../../content/search/words.ts'
import { pauses } from '../../../lib/slices.ts'
import { findShown } from '../../../store/search/search.ts'
import type { Store } from '../../../store/store.ts'
import type { SiteSpaceView } from '../../sites/view-site.ts'
import type { FoundShown } from './found-by-reader.ts'
import { belowTitle } from './rank-pages.ts'
import type { TitlesOfLinks } from './titles-of-links.ts'

/** A found page of a site space. */
export type FoundOnSite = FoundShown & { siteSpace: SiteSpaceView }

/** A hit of a search of a site: a page, or a section of one. Texts are plain text. */
export type SiteHit = {
  siteSpace: SiteSpaceView
  pageId: string
  /** The path of the page in its space, and that of its address: '' for the landing page. */
  pagePath: string
  addressPath: string
  title: string
  /** The titles of the pages above it, topmost first. */
  ancestors: string[]
  /**
   * The section with the words; undefined if the title has them, or the text before the first
   * heading.
   */
  section: { heading: string; anchor: string } | undefined
  /** The text around the words, or the beginning of the page; empty for a page without text. */
  passage: PassagePart[]
}

/** What hits tell of the published content of a space, as its reader is shown it. */
export type HitContent = {
  /** The id of the landing page. */
  landing: string | undefined
  titles: TitlesOfLinks
}

/**
 * Returns found pages as hits, each with one passage; yields to the event loop. `contents` has that
 * of their spaces, by id; none of a space with a damaged repository.
 */
export async function siteHits(
  store: Store,
  found: readonly FoundOnSite[],
  terms: readonly SearchTerm[],
  contents: ReadonlyMap<string, HitContent>,
  signal?: AbortSignal,
): Promise<SiteHit[]> {
  const find = finderOf(terms)
  const mark = markerOf(terms)
  const shown = findShown(
    store,
    found.map(({ row }) => row.id),
  )
  const pause = pauses(signal)
  const hits: SiteHit[] = []

  for (const { row, rank, siteSpace, sections: evaluated } of found) {
    const kept = shown.get(row.id)
    const sections = evaluated ?? (JSON.parse(kept?.sections ?? '[]') as Section[])
    const content = contents.get(siteSpace.space.id)
    const [best] = passagesOf(sections, find, content?.titles(row.page_id))
    const isTitle = rank < belowTitle
    const about = kept?.description ?? ''
    const text = best?.body ?? ''
    const passage = isTitle ? about || text : text || about

    hits.push({
      siteSpace,
      pageId: row.page_id,
      pagePath: row.path,
      addressPath: content?.landing === row.page_id ? '' : row.path,
      title: row.title,
      ancestors: row.ancestors,
      section:
        best?.anchor && !isTitle ? { heading: best.heading, anchor: best.anchor } : undefined,
      passage: mark(passage),
    })
    await pause()
  }

  return hits
}
