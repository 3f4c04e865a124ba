import type { PageNode } from '../../../content/tree/build.ts'
import type { SearchPageRow } from '../../../store/tables/rows.ts'
import { isFindable, isSame, locationOf } from '../../search/index-pages.ts'
import { indexState } from '../../search/index-search.ts'
import type { SearchSource } from '../../search/search-source.ts'
import type { OpenContent } from '../open-content.ts'
import { findPages } from './find-pages.ts'
import {
  type Evaluations,
  type FoundShown,
  foundByReader,
  newEvaluations,
} from './found-by-reader.ts'
import { relevantOf } from './rank-pages.ts'
import { reachContent } from './reach-content.ts'
import type { Wanted } from './turns.ts'

/**
 * Returns a found page with its place and title in the opened content: a change request may have
 * moved it.
 */
export function inPlace({ shown: { content } }: OpenContent, found: FoundShown): FoundShown {
  const node = content.pageById.get(found.row.page_id) as PageNode
  return {
    ...found,
    row: { ...found.row, ...locationOf({ content }, node, false), title: node.title },
  }
}

/**
 * Returns a test for the index rows of pages as they are in the opened content, of those that are
 * shown.
 */
export function fitsIn(open: OpenContent, source: SearchSource): (row: SearchPageRow) => boolean {
  return row => {
    const node = source.content.pageById.get(row.page_id)
    const isShown = open.shown.content.pageById.has(row.page_id)
    return isShown && node !== undefined && isFindable(node) && isSame(source, row, node)
  }
}

/** How often a search starts again because the index has changed meanwhile. */
const mostTries = 3

/**
 * Brings the index up to the opened content and searches it, again if another update of the index
 * may have removed pages meanwhile. Returns the pages that are shown and have all terms, best
 * first, and the revision that was searched. Throws the faults of `reachContent`.
 */
export async function findInOpened(
  open: OpenContent,
  source: SearchSource,
  wanted: Wanted,
  evaluations?: Evaluations,
): Promise<{ found: FoundShown[]; revision: string }> {
  for (let tries = 1; ; tries++) {
    const { space, revision, state } = await reachContent(open, source)
    const found = await findIn(open, source, space.number, wanted, evaluations)
    if (tries === mostTries || indexState(open.ctx, open.space.id) === state)
      return { found: wanted.any ? relevantOf(found) : found, revision }
  }
}

/**
 * Returns the pages of the opened content that are shown and have all terms, best first, or some if
 * that is enough, also of little relevance. A search of several spaces passes the same `evaluations`
 * for all of them.
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
