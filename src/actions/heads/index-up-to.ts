import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { BackgroundWork } from '../../lib/shared-work.ts'
import { findMirroredRef } from '../../store/git/refs.ts'
import { findLastRevision } from '../../store/git/revisions.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { indexHistory } from '../revisions/index-history.ts'
import { recordPushes } from './primary-head.ts'

/** Attempts to index the head, which other writers may move meanwhile. */
const mostTries = 5

/**
 * Updates the revision index of a space to the head of its primary branch `ref`, which may have
 * moved since `head` was read. Does not block writers. Returns the current head.
 */
export async function indexUpTo(
  ctx: Context,
  spaceId: string,
  ref: string,
  head: Oid,
): Promise<Oid> {
  const repo = spaceRepository(ctx, spaceId)
  const isIndexed = (oid: Oid) => findLastRevision(ctx.store, spaceId)?.oid === oid
  if (isIndexed(head)) return head

  for (let tries = 1; ; tries++) {
    // During a write, the branch has moved but its row has not been updated yet.
    if (headOf(ctx, spaceId, ref) !== findMirroredRef(ctx.store, spaceId, ref))
      await recordPushes(ctx, { id: spaceId })
    const now = headOf(ctx, spaceId, ref) ?? head
    if (now !== findMirroredRef(ctx.store, spaceId, ref)) return now
    await indexHistory(ctx, repo, spaceId, now)
    if (isIndexed(now) || tries >= mostTries) return now
  }
}

const builds = stateSlot(() => new BackgroundWork())

/**
 * Builds the revision index of a space if derived.db was lost and the index is empty. Returns false
 * if the build takes longer than a second, and for ten minutes after a build has failed because Git
 * or the database is damaged or busy.
 */
export const buildIfLost = async (ctx: Context, spaceId: string): Promise<boolean> =>
  findLastRevision(ctx.store, spaceId) !== undefined ||
  ctx.caches.get(builds).run(
    spaceId,
    () => indexPrimary(ctx, spaceId),
    error =>
      ctx.log.warn(
        { space: spaceId, err: String(error) },
        'the revision index of a space cannot be built',
      ),
  )

async function indexPrimary(ctx: Context, spaceId: string): Promise<boolean> {
  const ref = primaryRef(ctx, spaceId)
  const head = headOf(ctx, spaceId, ref)
  if (head) await indexUpTo(ctx, spaceId, ref, head)
  return head !== undefined
}
