import { indexUpTo } from '../actions/heads/index-up-to.ts'
import { primaryHead } from '../actions/heads/primary-head.ts'
import { measureUnknown } from '../actions/repositories/check-quota.ts'
import { indexPrimary, primarySource } from '../actions/search/index-search.ts'
import type { Context } from '../context.ts'
import { isGitError } from '../git/values/errors.ts'
import { queueSearchIndex } from '../queue/search.ts'
import { findSpace } from '../store/spaces/spaces.ts'
import type { SpaceRow } from '../store/tables/rows.ts'
import type { JobRun } from './run.ts'

/** The number of pages that are indexed before other spaces have their turn. */
const mostAtOnce = 10_000

/**
 * Updates the search index of a space to its primary content, and adds what else derived.db lacks
 * of it: its size and its revisions. If there is much to do, it indexes a part and enqueues itself
 * again. A space with a damaged repository is skipped; its repair moves the content or rebuilds the
 * index.
 */
export const indexSearch: JobRun<'index-search'> = async (ctx, { spaceId }, { signal }) => {
  const space = findSpace(ctx.store, spaceId)
  if (!space) return

  try {
    if (!(await bringUp(ctx, space, signal))) queueSearchIndex(ctx.store, spaceId, ctx.now())
  } catch (error) {
    if (!isGitError(error, 'object_unreadable')) throw error
    ctx.log.warn(
      { space: spaceId, err: String(error) },
      'a space cannot be indexed: run "stemma verify"',
    )
  }
}

async function bringUp(ctx: Context, space: SpaceRow, signal: AbortSignal): Promise<boolean> {
  const { ref, head } = await primaryHead(ctx, space)
  await measureUnknown(ctx, space.id)
  const source = await primarySource(ctx, space, head)
  const reached = await indexPrimary(ctx, space.id, source, { most: mostAtOnce, signal })
  if (reached && !reached.whole) return false

  try {
    await indexUpTo(ctx, space.id, ref, head)
  } catch (error) {
    // A damaged commit in the history does not affect the search.
    if (!isGitError(error)) throw error
    ctx.log.warn(
      { space: space.id, err: String(error) },
      'the history of a space cannot be indexed',
    )
  }

  return true
}
