import type { Context } from '../../context.ts'
import { deleteAbandonedPacks, deletePacksUpTo, listLongLogs } from '../../store/cluster/git-log.ts'
import { findGitState } from '../../store/cluster/git-state.ts'
import { catchUpNow } from '../catch-up/catch-up.ts'
import { takeSnapshot } from '../catch-up/fill.ts'
import { keepNamedCommits } from '../heads/keep-named.ts'
import { lockSpace } from '../heads/open-space.ts'
import { dropPack, placePack, sendPack } from '../journal/send-pack.ts'
import { isSpecsKey, repositoryOf } from '../repositories/repository-of.ts'

/** With more packs than this, a node takes long to fill a folder that is missing. */
const mostPacks = 50

/**
 * Folds the packs of each repository that has many in the database into a base, and deletes packs
 * whose change was never decided. Other nodes may write meanwhile.
 */
export async function foldPacks(
  ctx: Context,
  { most = mostPacks, signal }: { most?: number; signal?: AbortSignal } = {},
): Promise<void> {
  if (!ctx.store.isShared) return
  deleteAbandonedPacks(ctx.store)
  for (const key of listLongLogs(ctx.store, most)) {
    if (signal?.aborted) return
    await foldRepository(ctx, key)
  }
}

/** Replaces the packs of a repository by one that holds what its refs reach. */
async function foldRepository(ctx: Context, key: string): Promise<void> {
  const repo = repositoryOf(ctx, key)
  await catchUpNow(ctx, key)
  // Commits that rows name are kept, whether a branch reaches them or not.
  if (!isSpecsKey(key)) await lockSpace(ctx, key, () => keepNamedCommits(ctx, repo, key))
  await catchUpNow(ctx, key)
  const snapshot = takeSnapshot(ctx, key, undefined)
  const wants = [...(snapshot?.refs.values() ?? [])]
  if (!snapshot || wants.length === 0) return

  const { epoch, seq } = snapshot.state
  // A folder that has the last pack has the base.
  const last = snapshot.packs.at(-1)
  if (!last) return
  const base = await sendPack(ctx, key, repo, { wants, kind: 'base' })
  try {
    ctx.store.transact(() => {
      if (findGitState(ctx.store, key)?.epoch !== epoch) return dropPack(ctx, key, base)
      deletePacksUpTo(ctx.store, key, seq)
      placePack(ctx, key, base, last)
    })
  } catch (error) {
    dropPack(ctx, key, base)
    throw error
  }
}
