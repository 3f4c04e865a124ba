import { sql } from 'kysely'
import type { SearchPageRow } from './rows.ts'
import { pageIdOf } from './search-index.ts'
import type { Store } from './store.ts'
import { sqlRows } from './store.ts'

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
 * The ids of pages that have all terms (at least one is given), lowest first, of `limit` pieces from `from` up to `to`.
 * Reads no further: a word that every page has costs no more than others.
 */
export const matchPages = (
  store: Store,
  table: SearchTable,
  terms: readonly SearchTerm[],
  { from, to, limit }: { from: number; to: number; limit: number },
): number[] => {
  const rows = store.all(
    sqlRows<{ id: number }>(sql`
      select rowid as id from ${sql.table(table)}
      where ${sql.ref(table)} match ${matchOf(terms)} and rowid between ${from} and ${to}
      order by rowid limit ${limit}`),
  )
  return [...new Set(rows.map(row => pageIdOf(row.id)))]
}

/**
 * The same in several ranges of ids, lowest first: the pieces, not the pages, so that it is known where to go on when
 * there are `limit` of them.
 */
export const matchPieces = (
  store: Store,
  table: SearchTable,
  terms: readonly SearchTerm[],
  { ranges, limit }: { ranges: readonly (readonly [from: number, to: number])[]; limit: number },
): number[] =>
  store
    .all(
      sqlRows<{ id: number }>(sql`
        select words.rowid as id from json_each(${JSON.stringify(ranges)}) as range
        cross join ${sql.table(table)} as words
        where ${sql.ref(table)} match ${matchOf(terms)}
          and words.rowid between range.value ->> 0 and range.value ->> 1
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
