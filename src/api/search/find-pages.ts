import type { SearchTerm } from '../../content/search/words.ts'
import { pauses } from '../../lib/slices.ts'
import { listFound, matchPieces, type SearchTable } from '../../store/search/search.ts'
import { pageIdOf, pageRange } from '../../store/search/search-index.ts'
import type { Store } from '../../store/store.ts'
import type { SearchPageRow } from '../../store/tables/rows.ts'

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

/** How many pieces of the index are read for one place, in all. */
const mostRead = 12_000

/** The ids of pages that have the terms in one place, from `most` pieces at a time: whole words first, each page once. */
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
      const pieces = matchPieces(store, table, wanted, { ranges: [[from, to]], limit: most })
      const ids = [...new Set(pieces.map(pageIdOf))].filter(id => !seen.has(id))
      for (const id of ids) seen.add(id)
      yield ids
      if (pieces.length < most) break
      from = pieces.at(-1)! + 1
    }
  }
}

/** What is looked for, and a signal that is aborted when nobody waits for it any more. */
export type Wanted = { terms: readonly SearchTerm[]; query: string; gone?: AbortSignal | undefined }

/**
 * The best of the pages of one space that have all terms and are as `fits` wants them, best first: each once. There are
 * never more than some hundreds of them. Those that do not fit are in nobody's way: the index may have many pages as
 * they were, or as somebody proposes them.
 */
export async function findPages(
  store: Store,
  number: number,
  { terms, query, gone }: Wanted,
  fits: (row: SearchPageRow) => boolean,
): Promise<Found[]> {
  const asked = askedAs(query)
  const fitting = new Map<number, boolean>()
  const seen = new Set<string>()
  const found: Found[] = []
  const pause = pauses(gone)
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
      // Beginnings are only looked for where whole words leave room: all words that begin so are put together first.
      if (count >= of.most) break
      await pause()
    }
  }
  return found.sort((a, b) => a.rank - b.rank || a.row.id - b.row.id)
}
