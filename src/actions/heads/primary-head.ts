import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { findMirroredRef, listMirroredBranches } from '../../store/git/refs.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { unlessStuck } from '../journal/settle-intent.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { isCache } from '../repositories/repository-of.ts'
import { missingBranch } from './missing-branch.ts'
import { lockSpace, openSpace } from './open-space.ts'
import { reconcileAgainIfRaced } from './reconcile-space.ts'

/**
 * Returns the primary head of a space for a reader, after recording pushes. May take the space's
 * lock: do not hold it.
 */
export async function primaryHead(
  ctx: Context,
  space: Pick<SpaceRow, 'id'>,
): Promise<{ ref: string; head: Oid }> {
  await openSpace(ctx, space.id)
  let ref = primaryRef(ctx, space.id)
  let head = headOf(ctx, space.id, ref)

  if (!head || !(isCache(ctx) || head === findMirroredRef(ctx.store, space.id, ref))) {
    await reconcileForReader(ctx, space)
    ref = primaryRef(ctx, space.id)
    head = headOf(ctx, space.id, ref)
  }

  if (!head) throw missingBranch(space.id, ref)

  return { ref, head }
}

/**
 * Records what was pushed to a space; if nothing was, only reads its branches. Returns whether
 * there was a push.
 */
export async function recordPushes(ctx: Context, space: Pick<SpaceRow, 'id'>): Promise<boolean> {
  // A cache is written to by this server alone.
  if (isCache(ctx)) return false
  const branches = listMirroredBranches(ctx.store, space.id)
  const moved =
    !branches.has(primaryRef(ctx, space.id)) ||
    [...branches].some(([ref, oid]) => headOf(ctx, space.id, ref) !== oid)
  if (moved) await reconcileForReader(ctx, space)
  return moved
}

const reconcileForReader = (ctx: Context, space: Pick<SpaceRow, 'id'>): Promise<void> =>
  lockSpace(ctx, space.id, () =>
    unlessStuck(ctx, space.id, () => reconcileAgainIfRaced(ctx, space)),
  )
