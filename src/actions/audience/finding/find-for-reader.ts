import type { Reader, RequestFacts } from '../../../access/asker.ts'
import { areShownToAll } from '../../../content/evaluate/shown-tree.ts'
import type { Context } from '../../../context.ts'
import { isGitError } from '../../../git/values/errors.ts'
import { findSearchSpaces, isIndexed } from '../../../store/search/search-index.ts'
import type { SearchSpaceRow, SpaceRow } from '../../../store/tables/rows.ts'
import { primaryHead } from '../../heads/primary-head.ts'
import { type SearchSource, searchSource } from '../../search/search-source.ts'
import { type OpenContent, openContent } from '../open-content.ts'
import { findIn, fitsIn, inPlace } from './find-in.ts'
import {
  bestFirst,
  type FoundSpace,
  matchingSpaces,
  mostPages,
  numbersOf,
  relevantSpaces,
  weighedIn,
} from './find-spaces.ts'
import { type Evaluations, newEvaluations } from './found-by-reader.ts'
import type { Wanted } from './turns.ts'

/** A search of several spaces by one reader. */
type Search = {
  ctx: Context
  reader: Reader
  wanted: Wanted & Pick<RequestFacts, 'signal'>
  evaluations: Evaluations
  /**
   * Returns whether the index has exactly the pages of a head of a space, and every reader is shown
   * all of them.
   */
  isForAll: (spaceId: string, head: string) => boolean
}

/**
 * Returns the spaces among some with pages that the reader of a site is shown and that have all
 * terms for this reader, best first. A space is opened only if what was found in it may depend on
 * the reader, or the index is not at its head. Such spaces are searched one by one, the best first,
 * until no evaluations are left: further pages that depend on the reader are not found. A space
 * with a damaged repository is left out.
 */
export async function findForReader(
  ctx: Context,
  reader: Reader,
  among: readonly SpaceRow[],
  asked: Search['wanted'],
  evaluations: Evaluations = newEvaluations(),
): Promise<FoundSpace[]> {
  const rows = new Map(among.map(row => [row.id, row]))
  const found: FoundSpace[] = []
  const numbers = numbersOf(ctx.store, new Set(rows.keys()))
  const wanted = { ...weighedIn(ctx.store, numbers, asked), signal: asked.signal }
  const before = findSearchSpaces(ctx.store, [...numbers.values()])
  const matching = await matchingSpaces(ctx.store, numbers, wanted)
  const after = findSearchSpaces(ctx.store, [...numbers.values()])
  const isForAll = (spaceId: string, head: string) =>
    [before, after].every(states => hasAllOf(states.get(spaceId), head))
  const search: Search = { ctx, reader, wanted, evaluations, isForAll }

  for (const space of matching) {
    try {
      const shown = await shownIn(search, rows.get(space.id) as SpaceRow, space)
      if (shown) found.push(shown)
    } catch (error) {
      if (!isGitError(error) || wanted.signal.aborted) throw error
      ctx.log.warn({ err: error, spaceId: space.id }, 'a space cannot be searched')
    }
  }

  const best = bestFirst(found)

  return wanted.any ? relevantSpaces(best) : best
}

/**
 * Returns a space with those of its pages that the reader is shown; undefined if there are none.
 */
async function shownIn(
  { ctx, reader, wanted, evaluations, isForAll }: Search,
  row: SpaceRow,
  space: FoundSpace,
): Promise<FoundSpace | undefined> {
  const { head } = await primaryHead(ctx, row)
  if (isForAll(space.id, head) && space.pages.every(page => page.row.varies === 0)) return space
  const granted = { space: row, reader, scope: { kind: 'space' } } as const
  const open = await openContent(ctx, granted, { computed: true, request: wanted })
  const source = searchSource(open.view, open.whole, open.mayKeep)
  const pages = await pagesFor(open, source, space, { wanted, evaluations })
  const [best] = pages
  return best && { ...space, rank: best.rank, pages: pages.map(page => inPlace(open, page)) }
}

const hasAllOf = (state: SearchSpaceRow | undefined, head: string): boolean =>
  isIndexed(state, head) && state?.hides === 0

/** Returns the best pages of a space for its reader. */
async function pagesFor(
  open: OpenContent,
  source: SearchSource,
  { number, pages }: FoundSpace,
  { wanted, evaluations }: { wanted: Wanted; evaluations: Evaluations },
): Promise<FoundSpace['pages']> {
  const fits = fitsIn(open, source)
  if (
    areShownToAll(open.whole.content.pageById.values()) &&
    pages.every(({ row }) => row.varies === 0)
  )
    return pages.filter(({ row }) => fits(row))

  return (await findIn(open, source, number, wanted, evaluations)).slice(
    0,
    wanted.most ?? mostPages,
  )
}
