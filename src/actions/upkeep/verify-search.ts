import type { Context } from '../../context.ts'
import type { Oid } from '../../git/values/oid.ts'
import { countSearchHead, findSearchSpace } from '../../store/search/search-index.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { isFindable } from '../search/index-pages.ts'
import { indexer, primarySource } from '../search/index-search.ts'

/**
 * How the search index of a space differs in number from the pages of a head that it says it has; undefined when it does
 * not, or has another revision: it is brought up to this one by itself.
 */
export async function compareSearch(ctx: Context, space: SpaceRow, head: Oid): Promise<string | undefined> {
  const row = findSearchSpace(ctx.store, space.id)
  // Pages that are made of descriptions come and go with those.
  if (row?.revision !== head || row.tree === null || row.indexer !== indexer || row.stamp !== '')
    return undefined
  const { content, stamp } = await primarySource(ctx, space, head)
  if (stamp !== '') return undefined
  const findable = [...content.pageById.values()].filter(isFindable).length
  const counted = countSearchHead(ctx.store, row.number)
  return counted === findable ? undefined : `has ${counted} of ${findable} pages`
}
