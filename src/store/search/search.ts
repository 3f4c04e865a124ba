import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { SearchPageRow } from '../tables/rows.ts'
import { perPage } from './search-index.ts'

/** Where the words of pages are: each table has one row a page. */
export type SearchTable = 'search_title' | 'search_heading' | 'search_text'

/** A term: words that stand beside each other; with `prefix` the last of them may go on. */
export type SearchTerm = { words: readonly string[]; prefix: boolean }

/** Terms that must all be there, as FTS5 has them: every word is quoted, so that none is an operator. */
const matchOf = (terms: readonly SearchTerm[]): string =>
  terms
    .map(({ words, prefix }) => `"${words.join(' ').replaceAll('"', '""')}"${prefix ? ' *' : ''}`)
    .join(' AND ')

/**
 * The pieces of pages that have all terms (at least one is given), in ranges of ids that follow each other: lowest first,
 * `limit` of them; with `head` only of pages as the primary content has them. Reads no further: a word that every page
 * has costs no more than others.
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

/** Pages of the index by id, in that order; those that are gone are not among them. */
export const listFound = (store: Store, ids: readonly number[]): SearchPageRow[] =>
  store.all(
    sqlRows<SearchPageRow>(
      sql`select * from search_page where id in (select value from json_each(${JSON.stringify(ids)})) order by id`,
    ),
  )

/** What is shown of pages that were found, by id: descriptions, and sections as JSON. */
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

/** The numbers that the index gave to spaces, lowest first. */
export const listSearchNumbers = (store: Store): readonly { number: number; space_id: string }[] =>
  store.remember('search numbers', () =>
    store.all(
      sqlRows<{ number: number; space_id: string }>(
        sql`select number, space_id from search_space order by number`,
      ),
    ),
  )
