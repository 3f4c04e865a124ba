import type { z } from 'zod'
import type { FoundShown } from '../../../actions/audience/finding/found-by-reader.ts'
import { type RankedPage, worstRank } from '../../../actions/audience/finding/rank-pages.ts'
import type { TitlesOfLinks } from '../../../actions/audience/finding/titles-of-links.ts'
import { finderOf, passagesOf } from '../../../content/search/passages.ts'
import type { Section } from '../../../content/search/sections.ts'
import type { SearchTerm } from '../../../content/search/words.ts'
import { type BrowserAddresses, pageAddressIn } from '../../../content/tree/browser-addresses.ts'
import { mustGet } from '../../../lib/must-get.ts'
import { pauses } from '../../../lib/slices.ts'
import { findShown } from '../../../store/search/search.ts'
import type { Store } from '../../../store/store.ts'
import type { SearchPageResult } from './schema.ts'

type Page = z.input<typeof SearchPageResult>

/** A found page, and where a browser opens the content that it is in. */
type Shown = FoundShown & { app: BrowserAddresses }

type Presenting = {
  /** The place of each found page among all, by the id of its row, from 1 on. */
  places: ReadonlyMap<number, number>
  terms: readonly SearchTerm[]
  /** Returns the titles for links in the pages, which are of one space; called where one has any. */
  titles: () => TitlesOfLinks | Promise<TitlesOfLinks>
  signal?: AbortSignal | undefined
}

/**
 * Returns found pages as the API shows them, with their matching sections; yields to the event
 * loop.
 */
export async function presentFound(
  store: Store,
  found: readonly Shown[],
  { places, terms, titles, signal }: Presenting,
): Promise<Page[]> {
  const find = finderOf(terms)
  const pages: Page[] = []
  const pause = pauses(signal)
  let known: TitlesOfLinks | undefined

  for (let at = 0; at < found.length; at += 20) {
    const some = found.slice(at, at + 20)
    const shown = findShown(
      store,
      some.map(({ row }) => row.id),
    )

    for (const each of some) {
      const told = shown.get(each.row.id)
      const sections = each.sections ?? (JSON.parse(told?.sections ?? '[]') as Section[])
      if (sections.some(({ links }) => links)) known ??= await titles()
      const passages = passagesOf(sections, find, known?.(each.row.page_id))
      const place = mustGet(places, each.row.id)
      pages.push(presentPage(each, { description: told?.description ?? '', place }, passages))
      await pause()
    }
  }

  return pages
}

/** Returns the score of a rank: a number from 0 to 1, higher for better. */
export const scoreOf = ({ rank }: { rank: number }): number => 1 - rank / (worstRank + 1)

/** Returns the places of found pages, best first, by the ids of their rows. */
export const placesOf = (found: readonly RankedPage[]): Map<number, number> =>
  new Map(
    found
      .toSorted((a, b) => a.rank - b.rank || a.row.id - b.row.id)
      .map(({ row }, at) => [row.id, at + 1]),
  )

function presentPage(
  { row, rank, app: addresses }: Shown,
  { description, place }: { description: string; place: number },
  passages: ReturnType<typeof passagesOf>,
): Page {
  const app = pageAddressIn(addresses, { id: row.page_id })
  const score = scoreOf({ rank })
  return {
    id: row.page_id,
    title: row.title,
    description,
    path: row.path,
    sections: passages.map(({ heading, anchor, body }) => ({
      id: anchor || row.page_id,
      title: heading || row.title,
      path: anchor ? `${row.path}#${anchor}` : row.path,
      score,
      body,
      urls: { app: anchor ? `${app}#${encodeURIComponent(anchor)}` : app },
    })),
    ancestors: row.ancestors.map(title => ({ title })),
    score,
    rank: place,
    urls: { app },
  }
}
