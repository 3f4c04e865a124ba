import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'

/** The tables with the words of titles and of headings of all spaces. */
export type WordsTable = 'search_title_words' | 'search_heading_words'

/**
 * A word as the index has it, in lower case and mostly without accents, and the number of pages
 * that have it.
 */
type WordRow = { term: string; doc: number }

/** Returns up to `limit` words of titles or headings after a word, in the order of their bytes. */
export const listWords = (
  store: Store,
  table: WordsTable,
  limit: number,
  after: string,
): WordRow[] =>
  store.all(
    sqlRows<WordRow>(
      sql`select term, doc from ${sql.table(table)} where term > ${after} order by term limit ${limit}`,
    ),
  )

/** Returns a text that changes when pages are added to the index. */
export const indexedStamp = (store: Store): string =>
  store.remember('search words', () => {
    const row = store.get(
      sqlRows<{ stamp: string }>(
        sql`select count(*) || ' ' || coalesce(sum(last_page), 0) as stamp from search_space`,
      ),
    )
    return row?.stamp ?? ''
  })
