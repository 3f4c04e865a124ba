import type { SearchTerm } from '../../../content/search/words.ts'
import { pauses } from '../../../lib/slices.ts'
import { listFound, matchPieces, type SearchTable } from '../../../store/search/search.ts'
import { pageIdOf, pageRange } from '../../../store/search/search-index.ts'
import type { Store } from '../../../store/store.ts'
import type { SearchPageRow } from '../../../store/tables/rows.ts'

/** The places of search terms, best first, with the maximum number of pages of each. */
export const places: readonly { table: SearchTable; most: number }[] = [
  { table: 'search_title', most: 300 },
  { table: 'search_heading', most: 300 },
  { table: 'search_text', most: 600 },
]

/** A found page; a lower `rank` is better. */
export type RankedPage = { row: SearchPageRow; rank: number }

/** The worst rank. */
export const worstRank = places.length

/** Returns the same terms as whole words, without prefixes; undefined when no term is a prefix. */
export const wholeWords = (terms: readonly SearchTerm[]): SearchTerm[] | undefined =>
  terms.some(term => term.prefix) ? terms.map(({ words }) => ({ words, prefix: false })) : undefined

/** Returns the rank of a page: 0 when its title is the query, else by the place of the terms. */
export function rankOf(row: SearchPageRow, place: number, asked: string): number {
  return place === 0 && row.title.toLowerCase() === asked ? 0 : place + 1
}

/** Returns the query in the form that titles are compared with. */
export const askedAs = (query: string): string => query.trim().toLowerCase()

/** The maximum number of index pieces that are read for one place. */
const mostRead = 12_000

/**
 * Yields the ids of pages that have the terms in one place, from `most` pieces at a time: whole
 * words first, each page once.
 */
function* idsIn(
  store: Store,
  { table, most }: (typeof places)[number],
  terms: readonly SearchTerm[],
  [first, to]: readonly [from: number, to: number],
): Generator<number[], void, void> {
  const whole = wholeWords(terms)
  const seen = new Set<number>()
  for (const wanted of whole ? [whole, terms] : [terms]) {
    let from = first
    for (let read = 0; read < mostRead; read += most) {
      const pieces = matchPieces(store, table, wanted, [from, to], most)
      const ids = [...new Set(pieces.map(pageIdOf))].filter(id => !seen.has(id))
      for (const id of ids) seen.add(id)
      yield ids
      if (pieces.length < most) break
      from = pieces.at(-1)! + 1
    }
  }
}

/** A search, with a signal that aborts when its result is no longer needed. */
export type Wanted = {
  terms: readonly SearchTerm[]
  query: string
  signal?: AbortSignal | undefined
  /** The maximum number of pages of each space in a search of several spaces; 10 by default. */
  most?: number | undefined
}

/**
 * Returns the best pages of one space that contain all terms and that `fits` accepts, best first,
 * each once; at most a few hundred. Pages that do not fit take no places: the index may contain
 * many older or proposed versions of pages.
 */
export async function findPages(
  store: Store,
  number: number,
  { terms, query, signal }: Wanted,
  fits: (row: SearchPageRow) => boolean,
): Promise<RankedPage[]> {
  const asked = askedAs(query)
  const fitting = new Map<number, boolean>()
  const seen = new Set<string>()
  const found: RankedPage[] = []
  const pause = pauses(signal)

  for (const [place, of] of places.entries()) {
    let count = 0
    for (const ids of idsIn(store, of, terms, pageRange(number))) {
      const fresh = ids.filter(id => !fitting.has(id))
      for (const id of ids) if (fitting.get(id)) count++

      for (const row of listFound(store, fresh)) {
        if (count >= of.most) break
        const isFitting = fits(row)
        fitting.set(row.id, isFitting)
        if (!isFitting) continue
        count++
        if (seen.has(row.page_id)) continue
        seen.add(row.page_id)
        found.push({ row, rank: rankOf(row, place, asked) })
      }

      // Prefixes are only searched when whole words leave room: all words with a prefix have to be
      // merged first.
      if (count >= of.most) break
      await pause()
    }
  }

  return found.sort((a, b) => a.rank - b.rank || a.row.id - b.row.id)
}
