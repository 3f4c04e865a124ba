import type { Reader, RequestFacts } from '../../access/asker.ts'
import { searchSource } from '../../actions/search/search-source.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { type OpenContent, openContent } from '../content/open-content.ts'
import type { Wanted } from './find-pages.ts'
import { bestFirst, type FoundSpace, findSpacesWith, mostPages, numbersOf } from './find-spaces.ts'
import { type Evaluations, newEvaluations } from './found-by-reader.ts'
import { findIn, fitsIn, inPlace } from './search-space.ts'

/**
 * Returns the spaces among some with pages that the reader of a site is shown and that have all terms for this reader, best
 * first. Only contents that depend on the reader are searched one by one, the best first, until no evaluations are left:
 * further pages that depend on the reader are not found.
 */
export async function findForReader(
  ctx: Context,
  reader: Reader,
  among: readonly SpaceRow[],
  wanted: Wanted & Pick<RequestFacts, 'signal'>,
  evaluations: Evaluations = newEvaluations(),
): Promise<FoundSpace[]> {
  const rows = new Map(among.map(row => [row.id, row]))
  const found: FoundSpace[] = []
  const numbers = numbersOf(ctx.store, new Set(rows.keys()))
  for (const space of await findSpacesWith(ctx.store, numbers, wanted)) {
    const granted = { space: rows.get(space.id) as SpaceRow, reader, scope: { kind: 'space' } } as const
    const open = await openContent(ctx, granted, { computed: true, request: wanted })
    const pages = await pagesFor(open, space, wanted, evaluations)
    const [best] = pages
    if (best) found.push({ ...space, rank: best.rank, pages: pages.map(page => inPlace(open, page)) })
  }
  return bestFirst(found)
}

/** Returns the best pages of a space for its reader. */
async function pagesFor(
  open: OpenContent,
  { number, pages }: FoundSpace,
  wanted: Wanted,
  evaluations: Evaluations,
): Promise<FoundSpace['pages']> {
  const source = searchSource(open.view, open.whole)
  const fits = fitsIn(open, source)
  if (isSameForAll(open)) return pages.filter(({ row }) => fits(row))
  return (await findIn(open, source, number, wanted, evaluations)).slice(0, mostPages)
}

/** Whether trees have pages with expressions or conditions. */
const varying = new WeakMap<ContentTree, boolean>()

/** Returns whether the reader is shown all pages, with the same texts as every reader. */
function isSameForAll({ whole: { content }, shown }: OpenContent): boolean {
  if (shown.content.pageById.size !== content.pageById.size) return false
  const known = varying.get(content)
  if (known !== undefined) return !known
  const varies = [...content.pageById.values()].some(({ facts }) => facts?.varies !== undefined)
  varying.set(content, varies)
  return !varies
}
