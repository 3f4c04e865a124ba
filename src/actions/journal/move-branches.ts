import type { Context } from '../../context.ts'
import { setDefaultBranch } from '../../git/refs/default-branch.ts'
import { moveRefs, type RefMove } from '../../git/refs/refs.ts'
import { isCache, repositoryOf } from '../repositories/repository-of.ts'
import { moveShared } from './publish-shared.ts'

/**
 * Moves branches to commits that the repository has, and makes another branch the default one. No rows
 * follow. HEAD moves after new branches and before deletions, so that readers always find content.
 * Hold the lock of the repository. Throws the errors of `moveRefs`.
 */
export async function moveBranches(
  ctx: Context,
  key: string,
  { moves, head }: { moves: readonly RefMove[]; head?: string | undefined },
): Promise<void> {
  if (isCache(ctx)) return moveShared(ctx, key, { moves, head })
  const repo = repositoryOf(ctx, key)
  await moveRefs(
    repo,
    moves.filter(({ to }) => to !== null),
  )
  if (head !== undefined) await setDefaultBranch(repo, head)
  await moveRefs(
    repo,
    moves.filter(({ to }) => to === null),
  )
}
