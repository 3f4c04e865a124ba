import type { Generated } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import { table } from './table.ts'

type SearchSpaceTable = {
  number: Generated<number>
  space_id: string
  revision: Oid | null
  tree: Oid | null
  stamp: Generated<string>
  indexer: number
  last_page: Generated<number>
  others: Generated<number>
  hides: Generated<0 | 1>
}

type SearchPageTable = {
  id: number
  page_id: string
  oid: string
  title: string
  path: string
  ancestors: string[]
  head: number
  pieces: number
  varies: 0 | 1
  counts: 0 | 1
}

/** A full-text index: it has the words of a page, not its text. */
type SearchWordsTable = { rowid: number; words: string }

/** `sections` is JSON text, which its readers parse page by page: one may be large. */
type SearchSectionsTable = { id: number; description: string | null; sections: string }

/** The weights of the words of a page, which order results. */
type SearchWeightsTable = { id: number; words: string }

export const searchTables = {
  search_space: table<SearchSpaceTable>({ scope: 'derived' }),
  search_page: table<SearchPageTable>({ scope: 'derived', json: { ancestors: true } }),
  search_sections: table<SearchSectionsTable>({ scope: 'derived' }),
  search_weights: table<SearchWeightsTable>({ scope: 'derived' }),
  search_title: table<SearchWordsTable>({ scope: 'derived' }),
  search_heading: table<SearchWordsTable>({ scope: 'derived' }),
  search_text: table<SearchWordsTable>({ scope: 'derived' }),
}
