import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../git/values/oid.ts'
import { BackgroundWork } from '../../lib/shared-work.ts'
import { findLastRevision } from '../../store/git/revisions.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { indexHistory } from '../revisions/index-history.ts'
import { lockSpace } from './open-space.ts'

/**
 * Brings the revision index of a space up to the head of its primary branch `ref`, which may have moved while this waited for
 * the space's lock. Returns the head.
 */
export async function indexUpTo(ctx: Context, spaceId: string, ref: string, head: Oid): Promise<Oid> {
  if (findLastRevision(ctx.store, spaceId)?.oid === head) return head
  const repo = spaceRepository(ctx, spaceId)
  return lockSpace(ctx, spaceId, async () => {
    const now = headOf(ctx, spaceId, ref) ?? head
    await indexHistory(ctx, repo, spaceId, now)
    return now
  })
}

const builds = stateSlot(() => new BackgroundWork())

/**
 * Builds the revision index of a space if it is empty because derived.db was lost. Returns false while it is being built,
 * and for ten minutes after that has failed: Git or the database is damaged or busy.
 */
export const buildIfLost = async (ctx: Context, spaceId: string): Promise<boolean> =>
  findLastRevision(ctx.store, spaceId) !== undefined ||
  ctx.caches.get(builds).run(
    spaceId,
    () => indexPrimary(ctx, spaceId),
    error =>
      ctx.log.warn({ space: spaceId, err: String(error) }, 'the revision index of a space cannot be built'),
  )

async function indexPrimary(ctx: Context, spaceId: string): Promise<boolean> {
  const ref = primaryRef(ctx, spaceId)
  const head = headOf(ctx, spaceId, ref)
  if (head) await indexUpTo(ctx, spaceId, ref, head)
  return head !== undefined
}
