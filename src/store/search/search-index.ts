import { sql } from 'kysely'
import { isBranchOutside } from '../branch-outside.ts'
import { Rows } from '../rows.ts'
import { findSpace } from '../spaces/spaces.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { SearchPageRow, SearchSpaceRow } from '../tables/rows.ts'

const searchSpaces = new Rows('search_space')

/**
 * The number of ids of a page: the first is its own, the others are of its further pieces of text.
 */
export const perPage = 2 ** 8
/** The number of ids of a space. The first id of a space is its number times this. */
const perSpace = 2 ** 32

/** The largest number of pieces of text of a page. */
export const mostPieces = perPage

/** Returns the range of ids of a space's pages, by its number. */
export const pageRange = (number: number): [from: number, to: number] => [
  number * perSpace,
  (number + 1) * perSpace - 1,
]

/** Returns the number of the space of a page id. */
export const numberOf = (id: number): number => Math.floor(id / perSpace)

/** Returns the id of the page of a piece of text. */
export const pageIdOf = (pieceId: number): number => pieceId - (pieceId % perPage)

/** Returns the state of a space in the index. */
export const findSearchSpace = searchSpaces.find('space_id')

/** Returns the states of some spaces in the index, by the id of the space. */
export const findSearchSpaces = searchSpaces.findAll('space_id')

/** Reports whether the index has the pages of a revision of a space, by its state. */
export const isIndexed = (state: SearchSpaceRow | undefined, revision: string): boolean =>
  state?.revision === revision && state.tree !== null && state.stamp === ''

/**
 * Returns the state of a space in the index, and inserts it if needed. Returns undefined if there
 * is no such space.
 */
export const openSearchSpace = (
  store: Store,
  spaceId: string,
  indexer: number,
): SearchSpaceRow | undefined =>
  findSearchSpace(store, spaceId) ??
  store.transact(() => {
    if (!findSpace(store, spaceId)) return undefined
    store.run(
      query
        .insertInto('search_space')
        .values({ space_id: spaceId, indexer })
        .onConflict(conflict => conflict.column('space_id').doNothing()),
    )
    return findSearchSpace(store, spaceId)
  })

/**
 * Returns the spaces whose search index is incomplete or of another indexer version, or whose
 * indexed revision is no longer the head of a branch outside the folder `except` (e.g.
 * `refs/heads/x/`). A power cut can undo an update of the index but keep the end of its job.
 */
export function listUnindexed(store: Store, indexer: number, except: string): string[] {
  const indexed = store
    .all(
      query
        .selectFrom('search_space')
        .select(['space_id', 'revision'])
        .where('tree', 'is not', null)
        .where('indexer', '=', indexer),
    )
    .map(row => [row.space_id, row.revision])

  const current = store.all(
    sqlRows<{ id: string }>(sql`
      select distinct ref.space_id as id from json_each(${indexed}) as indexed
      cross join ref
      where ref.space_id = indexed.value ->> 0 and ref.oid = indexed.value ->> 1
        and ${isBranchOutside(except)}`),
  )
  const done = new Set(current.map(({ id }) => id))

  return store
    .all(query.selectFrom('space').select('id').orderBy('seq'))
    .map(({ id }) => id)
    .filter(id => !done.has(id))
}

/** Returns the spaces with indexed pages that were computed from OpenAPI specs. */
export const listComputedSpaces = (store: Store): string[] =>
  store
    .all(
      query
        .selectFrom('search_space')
        .select('space_id')
        .where('stamp', '<>', '')
        .orderBy('number'),
    )
    .map(row => row.space_id)

/** Updates the state of a space in the index, if it exists. */
export const updateSearchSpace = (
  store: Store,
  number: number,
  set: Partial<Pick<SearchSpaceRow, 'revision' | 'tree' | 'stamp' | 'others' | 'hides'>>,
): number => store.run(query.updateTable('search_space').set(set).where('number', '=', number))

/** Returns the id for a new page; undefined if the space no longer exists or has no ids left. */
export function takeSearchId(store: Store, number: number): number | undefined {
  const taken = store.get(
    query
      .updateTable('search_space')
      .set(({ eb }) => ({ last_page: eb('last_page', '+', 1) }))
      .where('number', '=', number)
      .where('last_page', '<', perSpace / perPage - 1)
      .returning('last_page'),
  )
  return taken && number * perSpace + taken.last_page * perPage
}

/**
 * Adds a piece of a page's text to the index; `piece` counts from 0. It is found only after the
 * page is added.
 */
export const addSearchText = (store: Store, id: number, piece: number, words: string): number =>
  store.run(sqlRows(sql`insert into search_text (rowid, words) values (${id + piece}, ${words})`))

/** A page to add to the index: the facts shown in results, and the words beside its text. */
export type IndexedPage = SearchPageRow & {
  description: string | null
  /** JSON. */
  sections: string
  weights: string
  titleWords: string
  headingWords: string
}

/** Adds a page whose text is in the index. */
export function addSearchPage(store: Store, page: IndexedPage): void {
  const { description, sections, weights, titleWords, headingWords, ...row } = page
  const { id, head } = row
  store.transact(() => {
    store.run(query.insertInto('search_page').values(row))
    store.run(query.insertInto('search_sections').values({ id, description, sections }))
    store.run(query.insertInto('search_weights').values({ id, words: weights }))
    store.run(sqlRows(sql`insert into search_title (rowid, words) values (${id}, ${titleWords})`))

    if (headingWords)
      store.run(
        sqlRows(sql`insert into search_heading (rowid, words) values (${id}, ${headingWords})`),
      )

    if (head) return

    const counted = query
      .updateTable('search_space')
      .set(({ eb }) => ({ others: eb('others', '+', 1) }))

    store.run(counted.where('number', '=', numberOf(id)))
  })
}

/** What the index stores about a page besides its text. */
export type SearchPageLocation = Pick<
  SearchPageRow,
  'path' | 'ancestors' | 'head' | 'varies' | 'counts'
>

/** Updates the facts of an unchanged page. */
export const updateSearchPage = (store: Store, id: number, set: SearchPageLocation): number =>
  store.run(query.updateTable('search_page').set(set).where('id', '=', id))

/** Returns the number of complete pages of a space's primary content in the index, each once. */
export const countSearchHead = (store: Store, number: number): number =>
  store.get(
    sqlRows<{ count: number }>(sql`
      select count(distinct page_id) as count from search_page
      where id between ${pageRange(number)[0]} and ${pageRange(number)[1]} and head = 1
        and exists (select 1 from search_sections where search_sections.id = search_page.id)
        and exists (select 1 from search_title_docsize where search_title_docsize.id = search_page.id)
        and exists (select 1 from search_text_docsize where search_text_docsize.id = search_page.id)`),
  )?.count ?? 0

/** Removes pages that were computed from OpenAPI specs from the primary content of a space. */
export function dismissMadePages(store: Store, spaceId: string): void {
  const space = findSearchSpace(store, spaceId)
  if (!space || space.stamp === '') return
  const [from, to] = pageRange(space.number)
  store.run(
    query
      .updateTable('search_page')
      .set({ head: 0 })
      .where('id', '>=', from)
      .where('id', '<=', to)
      .where('oid', 'like', 'made %'),
  )
}

const byId = [
  'search_title where rowid',
  'search_heading where rowid',
  'search_sections where id',
  'search_weights where id',
  'search_page where id',
]

/** Deletes pages from the index. */
export const deleteSearchPages = (
  store: Store,
  pages: readonly Pick<SearchPageRow, 'id' | 'pieces'>[],
): void =>
  store.transact(() => {
    const ids = pages.map(page => page.id)
    const texts = pages.flatMap(({ id, pieces }) =>
      Array.from({ length: pieces }, (_, piece) => id + piece),
    )
    const among = (list: readonly number[]) => sql`in (select value from json_each(${list}))`
    store.run(sqlRows(sql`delete from search_text where rowid ${among(texts)}`))
    for (const where of byId) store.run(sqlRows(sql`delete from ${sql.raw(where)} ${among(ids)}`))
  })

/** Returns up to `limit` pages of a space in the index after an id, by id. */
export const listSearchPages = (
  store: Store,
  number: number,
  limit: number,
  after: number,
): SearchPageRow[] =>
  store.all(
    query
      .selectFrom('search_page')
      .selectAll()
      .where('id', '>', after)
      .where('id', '<=', pageRange(number)[1])
      .orderBy('id')
      .limit(limit),
  )

/** Returns the indexed pages of a space with these page ids, with any text and title. */
export const findSearchPages = (
  store: Store,
  number: number,
  pageIds: readonly string[],
): SearchPageRow[] =>
  store.all(
    sqlRows<SearchPageRow>(sql`
      select search_page.* from json_each(${pageIds}) as wanted
      cross join search_page on search_page.page_id = wanted.value
        and search_page.id between ${pageRange(number)[0]} and ${pageRange(number)[1]}`),
  )

/**
 * Deletes up to `limit` pages of a space from the index. Returns their number. When a deleted space
 * has none left, its row goes, too.
 */
export function deleteSomeOfSearch(store: Store, spaceId: string, limit: number): number {
  const space = findSearchSpace(store, spaceId)
  if (!space) return 0
  return store.transact(() => {
    const rows = listSearchPages(store, space.number, limit, pageRange(space.number)[0])
    deleteSearchPages(store, rows)
    if (rows.length === 0)
      store.run(query.deleteFrom('search_space').where('number', '=', space.number))
    return rows.length
  })
}

const wordTables = ['search_title', 'search_heading', 'search_text'] as const

/** The pages of a step that removes the words of deleted pages. */
const mergedPages = 200

/**
 * Removes the words of deleted pages from the index, in steps that each block all requests for a
 * moment: until then they are in its file, although no search finds them.
 */
export function* removeDeletedWords(store: Store): Generator<undefined, void, undefined> {
  const changes = () =>
    store.get(
      sqlRows<{ n: number }>(sql`
          select total_changes() as n from (select max(id) from search_page)`),
    )?.n ?? 0
  for (const table of wordTables)
    for (let pages = -mergedPages; ; pages = mergedPages) {
      const before = changes()
      store.run(
        sqlRows(
          sql`insert into ${sql.table(table)} (${sql.ref(table)}, rank) values ('merge', ${pages})`,
        ),
      )
      // As the manual of FTS5 says.
      if (changes() - before < 2) break
      yield
    }
}

/** Deletes the whole index. */
export const deleteSearchIndex = (store: Store): void =>
  store.transact(() => {
    for (const table of wordTables)
      store.run(
        sqlRows(sql`insert into ${sql.table(table)} (${sql.ref(table)}) values ('delete-all')`),
      )
    store.run(query.deleteFrom('search_sections'))
    store.run(query.deleteFrom('search_weights'))
    store.run(query.deleteFrom('search_page'))
    store.run(query.deleteFrom('search_space'))
  })
