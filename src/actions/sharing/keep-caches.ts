import type { Context } from '../../context.ts'
import { checkRepositoryConfig } from '../../git/repositories/repository.ts'
import { needsRepack, repackRepository } from '../../git/repositories/upkeep.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import { takeCaughtUp } from '../catch-up/catch-up.ts'
import { indexUpTo } from '../heads/index-up-to.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { repositoryOf } from '../repositories/repository-of.ts'
import { indexPrimary, primarySource } from '../search/index-search.ts'

/**
 * Does for the repositories that this node has caught up with what a job does at the node that wrote
 * to them: updates the search index and the revision index, which are each node's own, and packs
 * folders with many packs.
 */
export async function keepCaches(ctx: Context, signal: AbortSignal): Promise<void> {
  for (const key of takeCaughtUp(ctx)) {
    if (signal.aborted) return
    await keepCache(ctx, key, signal).catch(error =>
      ctx.log.warn({ repository: key, err: String(error) }, 'a cache cannot be indexed or packed'),
    )
  }
}

async function keepCache(ctx: Context, key: string, signal: AbortSignal): Promise<void> {
  const repo = repositoryOf(ctx, key)
  const space = findSpace(ctx.store, key)
  if (space) {
    const { ref, head } = await primaryHead(ctx, space)
    await indexPrimary(ctx, key, await primarySource(ctx, space, head), { signal })
    await indexUpTo(ctx, key, ref, head)
  }
  if (!(await needsRepack(repo))) return
  await checkRepositoryConfig(repo)
  await repackRepository(repo, { signal })
}
