import type { SearchTerm } from '../../content/search-words.ts'
import { pauses } from '../../lib/slices.ts'
import type { SearchPageRow } from '../../store/rows.ts'
import { listFound, matchPieces, type SearchTable } from '../../store/search.ts'
import { pageIdOf, pageRange } from '../../store/search-index.ts'
import type { Store } from '../../store/store.ts'

/** Where terms are looked for, best first, and how many pages of each count. */
export const places: readonly { table: SearchTable; most: number }[] = [
  { table: 'search_title', most: 300 },
  { table: 'search_heading', most: 300 },
  { table: 'search_text', most: 600 },
]

/** A page that was found; the lower its `rank`, the better. */
export type Found = { row: SearchPageRow; rank: number }

/** The worst rank there is. */
export const worstRank = places.length

/** The same terms with no word being a beginning; undefined when none is. */
export const wholeWords = (terms: readonly SearchTerm[]): SearchTerm[] | undefined =>
  terms.some(term => term.prefix) ? terms.map(({ words }) => ({ words, prefix: false })) : undefined

/** How good it is that a page was found where: 0 when it is called so, else by where the terms are. */
export function rankOf(row: SearchPageRow, place: number, asked: string): number {
  return place === 0 && row.title.toLowerCase() === asked ? 0 : place + 1
}

/** What was asked, as titles are held against it. */
export const askedAs = (query: string): string => query.trim().toLowerCase()

/** How many pieces are read of the index at once, and how many in all for one place. */
const mostPieces = 600
const mostRead = 12_000

/** The pages that have the terms in one place, `mostPieces` pieces at a time: whole words first, and each page once. */
function* rowsIn(
  store: Store,
  table: SearchTable,
  terms: readonly SearchTerm[],
  [first, to]: readonly [from: number, to: number],
): Generator<SearchPageRow[], void, void> {
  const whole = wholeWords(terms)
  const seen = new Set<number>()
  for (const wanted of whole ? [whole, terms] : [terms]) {
    let from = first
    for (let read = 0; read < mostRead; read += mostPieces) {
      const pieces = matchPieces(store, table, wanted, { ranges: [[from, to]], limit: mostPieces })
      const ids = [...new Set(pieces.map(pageIdOf))].filter(id => !seen.has(id))
      for (const id of ids) seen.add(id)
      yield listFound(store, ids)
      if (pieces.length < mostPieces) break
      from = pieces.at(-1)! + 1
    }
  }
}

/**
 * The best of the pages of one space that have all terms and are as `fits` wants them, best first: each once. There are
 * never more than some hundreds of them. Those that do not fit are in nobody's way: the index may have many pages as
 * they were, or as somebody proposes them.
 */
export async function findPages(
  store: Store,
  number: number,
  { terms, query }: { terms: readonly SearchTerm[]; query: string },
  fits: (row: SearchPageRow) => boolean,
): Promise<Found[]> {
  const asked = askedAs(query)
  const seen = new Set<string>()
  const found: Found[] = []
  const pause = pauses()
  for (const [place, { table, most }] of places.entries()) {
    let fitting = 0
    for (const rows of rowsIn(store, table, terms, pageRange(number))) {
      for (const row of rows) {
        if (fitting >= most || !fits(row)) continue
        fitting++
        if (seen.has(row.page_id)) continue
        seen.add(row.page_id)
        found.push({ row, rank: rankOf(row, place, asked) })
      }
      // Beginnings are only looked for where whole words leave room: all words that begin so are put together first.
      if (fitting >= most) break
      await pause()
    }
  }
  return found.sort((a, b) => a.rank - b.rank || a.row.id - b.row.id)
}
