import type { Context } from '../../context.ts'
import { takeBranchName } from './take-branch-name.ts'
import { undoBranchName } from './undo-branch-name.ts'

/**
 * Runs `work`, which publishes new content, with another branch as the primary one of an untouched
 * space. Undoes the change of the branch if `work` throws. Hold the lock of the space.
 */
export async function withBranchName<Result>(
  ctx: Context,
  { spaceId, ref }: { spaceId: string; ref: string },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    await takeBranchName(ctx, spaceId, ref)
    return await work()
  } catch (error) {
    await undoBranchName(ctx, spaceId).catch((err: unknown) =>
      // `reconcileSpace` tries again.
      ctx.log.error(
        { space: spaceId, ref, err: String(err) },
        'the default branch could not be set back after a failed write',
      ),
    )
    throw error
  }
}
