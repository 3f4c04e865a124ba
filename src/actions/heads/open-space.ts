import type { Context } from '../../context.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { findSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import { catchUp, catchUpForChange, catchUpNow } from '../catch-up/catch-up.ts'
import { isReadOnly } from '../journal/settle-intent.ts'
import { inTurnOfNodes } from '../repositories/node-turns.ts'
import { isOpened, markOpened, settleFolder } from '../repositories/opened.ts'
import { guardPushes } from '../repositories/push-policy.ts'
import { isCache } from '../repositories/repository-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { reconcileAgainIfRaced } from './reconcile-space.ts'

/**
 * Runs `work` under the lock of a space: every writer to its repository takes the lock here. The
 * first one opens the space.
 */
export const lockSpace = <Result>(
  ctx: Context,
  spaceId: string,
  work: () => Promise<Result>,
): Promise<Result> =>
  ctx.locks.run(spaceId, async () => {
    if (isCache(ctx))
      return inTurnOfNodes(ctx, spaceId, async hasWaited => {
        await (hasWaited ? catchUpNow(ctx, spaceId) : catchUpForChange(ctx, spaceId))
        return work()
      })
    if (!isOpened(ctx, spaceId)) await open(ctx, spaceId)
    return work()
  })

/**
 * Opens a space unless this process has opened it: removes the locks of killed processes, installs
 * the push hook, and records what was pushed while no server ran. Readers call it before they read
 * a head. Takes the space's lock only to open it. Where nodes share the space, brings its folder to
 * where the database is, without that lock.
 */
export async function openSpace(ctx: Context, spaceId: string): Promise<void> {
  if (isCache(ctx)) await catchUp(ctx, spaceId)
  else if (!isOpened(ctx, spaceId)) await lockSpace(ctx, spaceId, () => Promise.resolve())
}

/**
 * Opens a space. Hold its lock. A damaged repository is logged; the space is then served if it can
 * be read.
 */
async function open(ctx: Context, spaceId: string): Promise<void> {
  if (!findSpace(ctx.store, spaceId)) return
  const repo = spaceRepository(ctx, spaceId)
  const errors: unknown[] = []
  await settleFolder(ctx, repo).catch(error => errors.push(error))
  crashPoint('R2')
  await guardPushes(ctx, repo, spaceId).catch(error => errors.push(error))
  await reconcileAgainIfRaced(ctx, { id: spaceId }).catch(error => errors.push(error))
  crashPoint('R4')
  markOpened(ctx, spaceId)

  // A write that cannot be finished is already logged.
  const [error] = errors.filter(error => !isReadOnly(error))

  if (error !== undefined)
    ctx.log.error(
      { space: spaceId, err: String(error) },
      'the repository of a space is damaged: run "stemma verify"',
    )
}

/** Opens every space that is not opened yet, one at a time. */
export async function openSpaces(ctx: Context): Promise<void> {
  for (const { id } of listAllSpaces(ctx.store)) await openSpace(ctx, id)
}
