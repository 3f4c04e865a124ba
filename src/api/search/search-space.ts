import type { z } from 'zod'
import type { RequestFacts } from '../../access/asker.ts'
import type { PublishedGrant } from '../../access/guards/content.ts'
import { isFindable, isSame, locationOf } from '../../actions/search/index-pages.ts'
import {
  type Coverage,
  currentCoverage,
  indexBranch,
  indexPrimary,
} from '../../actions/search/index-search.ts'
import { type SearchSource, searchSource } from '../../actions/search/search-source.ts'
import { searchTerms } from '../../content/search/words.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { Answer } from '../../http/endpoint.ts'
import { envelope, pageOf } from '../../http/list.ts'
import { queueSearchIndex } from '../../queue/search.ts'
import { note, saysCannotWrite } from '../../store/note.ts'
import type { SearchPageRow } from '../../store/tables/rows.ts'
import { type OpenContent, openContent } from '../content/open-content.ts'
import { findPages, type Wanted } from './find-pages.ts'
import { type Evaluations, type FoundShown, foundByReader, newEvaluations } from './found-by-reader.ts'
import { presentFound } from './present.ts'
import type { SearchPageResults, SearchQuery } from './schema.ts'

type Query = z.output<typeof SearchQuery>
type Results = z.input<typeof SearchPageResults>

/** The maximum numbers of pages that a search indexes and compares itself; larger changes are left to the job. */
const mostIndexed = 200
const mostCompared = 3_000
/** The same limit for change requests, which have no job: an unfinished search continues with the next request. */
const mostBeside = 1_000

/** Searches the content that a guard granted: the primary content of a space, or that of a change request. */
export async function searchContent(
  ctx: Context,
  granted: PublishedGrant,
  query: Query,
  request: RequestFacts,
): Promise<Answer<Results>> {
  const open = await openContent(ctx, granted, { computed: true, request })
  const source = searchSource(open.view, open.whole)
  const { space, revision } = await reach(ctx, granted, source)
  const terms = searchTerms(query.query)
  const found = await findIn(open, source, space.number, { terms, query: query.query, signal: open.signal })
  const list = `search ${open.space.id} ${open.scope} ${query.query}`
  const page = await pageOf<(typeof found)[number], [rank: number, id: number]>(
    ctx,
    list,
    query,
    (limit, after) => {
      const from = after ? found.findIndex(({ row, rank }) => isAfter([rank, row.id], after)) : 0
      return from === -1 ? [] : found.slice(from, from + limit)
    },
    ({ row, rank }) => [rank, row.id],
  )
  const shown = page.rows.map(each => ({ ...inPlace(open, each), location: open.location }))
  const items = await presentFound(ctx.store, shown, terms, open.signal)
  return new Answer(envelope(page, items), { headers: { 'Stemma-Revision': revision } })
}

/** Returns a found page with its place and title in the opened content: a change request may have moved it. */
export function inPlace({ shown: { content } }: OpenContent, found: FoundShown): FoundShown {
  const node = content.pageById.get(found.row.page_id) as PageNode
  return { ...found, row: { ...found.row, ...locationOf({ content }, node, false), title: node.title } }
}

/** Returns a test for the index rows of pages as they are in the opened content, of those that are shown. */
export function fitsIn(open: OpenContent, source: SearchSource): (row: SearchPageRow) => boolean {
  return row => {
    const node = source.content.pageById.get(row.page_id)
    const isShown = open.shown.content.pageById.has(row.page_id)
    return isShown && node !== undefined && isFindable(node) && isSame(source, row, node)
  }
}

/**
 * Returns the pages of the opened content that are shown and have all terms, best first. A search of several spaces passes
 * the same `evaluations` for all of them.
 */
export async function findIn(
  open: OpenContent,
  source: SearchSource,
  number: number,
  wanted: Wanted,
  evaluations: Evaluations = newEvaluations(),
): Promise<FoundShown[]> {
  if (wanted.terms.length === 0) return []
  const found = await findPages(open.ctx.store, number, wanted, fitsIn(open, source))
  return open.audience ? foundByReader(open, found, wanted, evaluations) : found
}

const isAfter = ([rank, id]: [number, number], [lastRank, lastId]: [number, number]): boolean =>
  rank > lastRank || (rank === lastRank && id > lastId)

/** Brings the index as close to the content as possible now; returns the revision that is searched. */
async function reach(
  ctx: Context,
  { space, scope }: PublishedGrant,
  source: SearchSource,
): Promise<{ space: Coverage['space']; revision: string }> {
  const primary = scope.kind === 'space'
  const reached = await (primary
    ? indexPrimary(ctx, space.id, source, { most: mostIndexed, mostCompared })
    : indexBranch(ctx, space.id, source, { most: mostBeside })
  ).catch(error => {
    // Reads continue on a full disk.
    if (!saysCannotWrite(error)) throw error
    return currentCoverage(ctx, space.id, source)
  })
  const revision = reached?.whole ? source.view.oid : reached?.space.revision
  if (reached && revision && (primary || reached.whole)) return { space: reached.space, revision }
  if (primary) note(() => queueSearchIndex(ctx.store, space.id, ctx.now()))
  throw new Fault(
    'unavailable',
    'The search index of this content is being built. Search again in a few seconds.',
  )
}
