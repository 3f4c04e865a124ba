import type { SearchTerm } from '../../content/search-words.ts'
import type { SearchPageRow } from '../../store/rows.ts'
import { listFound, matchPages, type SearchTable } from '../../store/search.ts'
import { pageRange } from '../../store/search-index.ts'
import type { Store } from '../../store/store.ts'

/** Where terms are looked for, best first, and how many of each are looked at. */
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

/**
 * The ids of pages that have the terms in one place, `limit` at most: whole words first. Beginnings are only looked for
 * where those leave room, as all words that begin so are put together before the first is given.
 */
export function matchesIn(
  store: Store,
  table: SearchTable,
  terms: readonly SearchTerm[],
  range: { from: number; to: number; limit: number },
): number[] {
  const whole = wholeWords(terms)
  const exact = whole ? matchPages(store, table, whole, range) : []
  if (exact.length >= range.limit) return exact
  return [...new Set([...exact, ...matchPages(store, table, terms, range)])]
}

/** How good it is that a page was found where: 0 when it is called so, else by where the terms are. */
export function rankOf(row: SearchPageRow, place: number, asked: string): number {
  return place === 0 && row.title.toLowerCase() === asked ? 0 : place + 1
}

/** What was asked, as titles are held against it. */
export const askedAs = (query: string): string => query.trim().toLowerCase()

/**
 * The best of the pages of one space that have all terms and are as `fits` wants them, best first: each once. There are
 * never more than some hundreds of them.
 */
export function findPages(
  store: Store,
  number: number,
  { terms, query }: { terms: readonly SearchTerm[]; query: string },
  fits: (row: SearchPageRow) => boolean,
): Found[] {
  const [from, to] = pageRange(number)
  const placeOf = new Map<number, number>()
  for (const [place, { table, most }] of places.entries())
    for (const id of matchesIn(store, table, terms, { from, to, limit: most }))
      if (!placeOf.has(id)) placeOf.set(id, place)
  const asked = askedAs(query)
  const seen = new Set<string>()
  const found: Found[] = []
  for (const row of listFound(store, [...placeOf.keys()])) {
    if (!fits(row) || seen.has(row.page_id)) continue
    seen.add(row.page_id)
    found.push({ row, rank: rankOf(row, placeOf.get(row.id)!, asked) })
  }
  return found.sort((a, b) => a.rank - b.rank || a.row.id - b.row.id)
}
