import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { SearchPageRow } from '../tables/rows.ts'
import { perPage } from './search-index.ts'

const searchSections = new Rows('search_sections')
const findWeightRows = new Rows('search_weights').findAll('id')

/** The tables with the words of pages, one row per page each. */
export type SearchTable = 'search_title' | 'search_heading' | 'search_text'

/** A term: adjacent words. With `prefix`, the last word is a prefix. `forms` count instead. */
type SearchTerm = {
  words: readonly string[]
  prefix: boolean
  forms?: readonly (readonly string[])[]
}

/** Lists of terms: a page has to have a term of each. */
export type SearchTerms = readonly (readonly SearchTerm[])[]

/** Every word is quoted, so that none is an operator of FTS5. */
const phraseOf = (words: readonly string[]): string => `"${words.join(' ').replaceAll('"', '""')}"`

/** Returns the FTS5 query for terms. */
const matchOf = (lists: SearchTerms): string =>
  lists
    .map(list => {
      const phrases = list.flatMap(({ words, prefix, forms = [] }) => [
        phraseOf(words) + (prefix ? ' *' : ''),
        ...forms.map(phraseOf),
      ])
      return `(${phrases.join(' OR ')})`
    })
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
  terms: SearchTerms,
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
  terms: SearchTerms,
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

/** Returns those of some words that any page of the index has. */
export const wordsInIndex = (store: Store, words: readonly string[]): string[] =>
  store
    .all(
      sqlRows<{ value: string }>(sql`
        select value from json_each(${words})
        where exists (select 1 from search_text where search_text match '"' || value || '"')`),
    )
    .map(({ value }) => value)

/**
 * Returns how many pieces of pages in some ranges of ids match a term, among the first `most` of
 * each: of pages of primary contents that all readers are shown with the same text.
 */
export const countPieces = (
  store: Store,
  term: SearchTerm,
  ranges: readonly IdRange[],
  most: number,
): number =>
  store.get(
    sqlRows<{ count: number }>(sql`
      select sum((
        select count(*) from (
          select rowid - rowid % ${perPage} as id from search_text
          where search_text match ${matchOf([[term]])}
            and rowid between range.value ->> 0 and range.value ->> 1
          limit ${most}
        ) as piece
        cross join search_page as page on page.id = piece.id
        where page.head = 1 and page.counts = 1
      )) as count from json_each(${ranges}) as range`),
  )?.count ?? 0

/** Returns how many pages in some ranges of ids count there, among the first `most` of each. */
export const countPages = (store: Store, ranges: readonly IdRange[], most: number): number =>
  store.get(
    sqlRows<{ count: number }>(sql`
      select sum((
        select count(*) from (
          select head, counts from search_page
          where id between range.value ->> 0 and range.value ->> 1
          limit ${most}
        ) where head = 1 and counts = 1
      )) as count from json_each(${ranges}) as range`),
  )?.count ?? 0

/** Returns the weights of the words of pages, by id. */
export function findWeights(store: Store, ids: readonly number[]): Map<number, string> {
  const rows = findWeightRows(store, ids)
  return new Map([...rows].map(([id, { words }]) => [id, words]))
}

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
