import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { SearchPageRow } from '../tables/rows.ts'
import { perPage } from './search-index.ts'

/** The tables with the words of pages, one row per page each. */
export type SearchTable = 'search_title' | 'search_heading' | 'search_text'

/** A term: adjacent words. With `prefix`, the last word is a prefix. */
export type SearchTerm = { words: readonly string[]; prefix: boolean }

/** Returns the FTS5 query that requires all terms. Every word is quoted, so that none is an operator. */
const matchOf = (terms: readonly SearchTerm[]): string =>
  terms
    .map(({ words, prefix }) => `"${words.join(' ').replaceAll('"', '""')}"${prefix ? ' *' : ''}`)
    .join(' AND ')

/**
 * Returns up to `limit` pieces of pages that match all terms (at least one) in adjacent ranges of ids, lowest first;
 * with `head`, only of the primary content. Stops reading at the limit, so that a word in every page costs no more than
 * another.
 */
export const matchPieces = (
  store: Store,
  table: SearchTable,
  terms: readonly SearchTerm[],
  {
    ranges,
    limit,
    head = false,
  }: { ranges: readonly (readonly [from: number, to: number])[]; limit: number; head?: boolean },
): number[] =>
  store
    .all(
      sqlRows<{ id: number }>(sql`
        select words.rowid as id from json_each(${JSON.stringify(ranges)}) as range
        cross join ${sql.table(table)} as words
        ${head ? sql`cross join search_page as page on page.id = words.rowid - words.rowid % ${perPage}` : sql``}
        where ${sql.ref(table)} match ${matchOf(terms)}
          and words.rowid between range.value ->> 0 and range.value ->> 1
          ${head ? sql`and page.head = 1` : sql``}
        limit ${limit}`),
    )
    .map(row => row.id)

/** Returns the pages of the index with these ids, in this order, without deleted ones. */
export const listFound = (store: Store, ids: readonly number[]): SearchPageRow[] =>
  store.all(
    sqlRows<SearchPageRow>(
      sql`select * from search_page where id in (select value from json_each(${JSON.stringify(ids)})) order by id`,
    ),
  )

/** Returns what results show of pages, by id: descriptions, and sections as JSON. */
export const findShown = (
  store: Store,
  ids: readonly number[],
): Map<number, { description: string | null; sections: string }> =>
  new Map(
    store
      .all(
        sqlRows<{ id: number; description: string | null; sections: string }>(
          sql`select * from search_sections where id in (select value from json_each(${JSON.stringify(ids)}))`,
        ),
      )
      .map(row => [row.id, row]),
  )

/** Returns the numbers of the spaces in the index, lowest first. */
export const listSearchNumbers = (store: Store): readonly { number: number; space_id: string }[] =>
  store.remember('search numbers', () =>
    store.all(
      sqlRows<{ number: number; space_id: string }>(
        sql`select number, space_id from search_space order by number`,
      ),
    ),
  )
