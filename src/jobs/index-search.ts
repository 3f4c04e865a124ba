import { primaryHead } from '../actions/heads/reconcile-space.ts'
import { indexPrimary, primarySource } from '../actions/search/index-search.ts'
import type { Context } from '../context.ts'
import { isGitError } from '../git/values/errors.ts'
import { queueSearchIndex } from '../queue/search.ts'
import { findSpace } from '../store/spaces/spaces.ts'
import type { SpaceRow } from '../store/tables/rows.ts'
import type { JobRun } from './run.ts'

/** How many pages of a space are put into the index before others have their turn. */
const mostAtOnce = 10_000

/**
 * Brings the search index of a space up to its primary content: a part of it, when there is much to do, and then comes
 * again. A space whose repository is damaged stays as it is; what mends it moves its content, or makes the index anew.
 */
export const indexSearch: JobRun<'index-search'> = async (ctx, { spaceId }, { signal }) => {
  const space = findSpace(ctx.store, spaceId)
  if (!space) return
  try {
    if (!(await bringUp(ctx, space, signal))) queueSearchIndex(ctx.store, spaceId, ctx.now())
  } catch (error) {
    if (!isGitError(error, 'object_unreadable')) throw error
    ctx.log.warn({ space: spaceId, err: String(error) }, 'a space cannot be indexed: run "stemma verify"')
  }
}

async function bringUp(ctx: Context, space: SpaceRow, signal: AbortSignal): Promise<boolean> {
  const { head } = await primaryHead(ctx, space)
  const source = await primarySource(ctx, space, head)
  const reached = await indexPrimary(ctx, space.id, source, { most: mostAtOnce, signal })
  return reached?.whole ?? true
}
