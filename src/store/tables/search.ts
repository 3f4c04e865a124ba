import type { Generated } from 'kysely'

type SearchSpaceTable = {
  number: Generated<number>
  space_id: string
  revision: string | null
  tree: string | null
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
  ancestors: string
  head: number
  pieces: number
  varies: 0 | 1
}

type SearchSectionsTable = { id: number; description: string | null; sections: string }

/** The tables of the search index in `derived.sql`, by name, without those of words. */
export type SearchTables = {
  search_space: SearchSpaceTable
  search_page: SearchPageTable
  search_sections: SearchSectionsTable
}
