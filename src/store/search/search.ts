import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { SearchPageRow } from '../tables/rows.ts'
import { perPage } from './search-index.ts'

const searchSections = new Rows('search_sections')

/** The tables with the words of pages, one row per page each. */
export type SearchTable = 'search_title' | 'search_heading' | 'search_text'

/** A term: adjacent words. With `prefix`, the last word is a prefix. */
type SearchTerm = { words: readonly string[]; prefix: boolean }

/**
 * Returns the FTS5 query that requires all terms. Every word is quoted, so that none is an
 * operator.
 */
const matchOf = (terms: readonly SearchTerm[]): string =>
  terms
    .map(({ words, prefix }) => `"${words.join(' ').replaceAll('"', '""')}"${prefix ? ' *' : ''}`)
    .join(' AND ')

/** A range of ids of pages or pieces; both ends belong to it. */
export type IdRange = readonly [from: number, to: number]

/**
 * Returns up to `limit` pieces of pages that match all terms (at least one) in a range of ids,
 * lowest first. Stops reading at the limit, so that a word in every page costs no more than
 * another.
 */
export const matchPieces = (
  store: Store,
  table: SearchTable,
  terms: readonly SearchTerm[],
  [from, to]: IdRange,
  limit: number,
): number[] =>
  store
    .all(
      sqlRows<{ id: number }>(sql`
        select rowid as id from ${sql.table(table)}
        where ${sql.ref(table)} match ${matchOf(terms)} and rowid between ${from} and ${to}
        limit ${limit}`),
    )
    .map(row => row.id)

/**
 * Returns pages of primary contents that match all terms (at least one), lowest ids first: the
 * first `limit` of each of these ranges of ids. Stops reading a range at its limit.
 */
export const matchPages = (
  store: Store,
  table: SearchTable,
  terms: readonly SearchTerm[],
  ranges: readonly IdRange[],
  limit: number,
): number[] =>
  store
    .all(
      sqlRows<{ ids: number[] }>(
        sql`
        select (
          select json_group_array(id) from (
            select distinct page.id from ${sql.table(table)} as words
            cross join search_page as page on page.id = words.rowid - words.rowid % ${perPage}
            where ${sql.ref(table)} match ${matchOf(terms)}
              and words.rowid between range.value ->> 0 and range.value ->> 1 and page.head = 1
            limit ${limit}
          )
        ) as ids from json_each(${ranges}) as range`,
        ['ids'],
      ),
    )
    .flatMap(({ ids }) => ids)

/** Returns the pages of the index with these ids, in this order, without deleted ones. */
export const listFound = (store: Store, ids: readonly number[]): SearchPageRow[] =>
  store.all(
    sqlRows<SearchPageRow>(
      sql`select * from search_page where id in (select value from json_each(${ids})) order by id`,
    ),
  )

/** Returns what results show of pages, by id: descriptions, and sections as JSON. */
export const findShown = searchSections.findAll('id')

/** Returns the numbers of the spaces in the index, lowest first. */
export const listSearchNumbers = (store: Store): readonly { number: number; space_id: string }[] =>
  store.remember('search numbers', () =>
    store.all(
      sqlRows<{ number: number; space_id: string }>(
        sql`select number, space_id from search_space order by number`,
      ),
    ),
  )
