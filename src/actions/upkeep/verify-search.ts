import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { countSearchHead, findSearchSpace } from '../../store/search/search-index.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { isFindable } from '../search/index-pages.ts'
import { indexer, primarySource } from '../search/index-search.ts'

/**
 * Returns how the number of indexed pages of a space differs from that of its head, as part of a
 * sentence; undefined if it does not, or if the index is of another revision and will be updated by
 * a job.
 */
export async function compareSearch(
  ctx: Context,
  space: SpaceRow,
  head: Oid,
): Promise<string | undefined> {
  const row = findSearchSpace(ctx.store, space.id)
  // Pages computed from OpenAPI specs change with the specs.
  if (row?.revision !== head || row.tree === null || row.indexer !== indexer || row.stamp !== '')
    return undefined
  const { content, stamp } = await primarySource(ctx, space, head)
  if (stamp !== '') return undefined

  const findable = [...content.pageById.values()].filter(isFindable).length
  const counted = countSearchHead(ctx.store, row.number)

  return counted === findable ? undefined : `has ${counted} of ${findable} pages`
}
