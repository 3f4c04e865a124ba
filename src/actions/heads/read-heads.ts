import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import { GitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { findMirroredRef } from '../../store/git/refs.ts'
import type { ChangeRequestRow, SpaceRow } from '../../store/tables/rows.ts'
import { settleLeftovers } from '../journal/settle-intent.ts'
import { checkRoom } from '../repositories/check-quota.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { isCache } from '../repositories/repository-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { missingBranch } from './missing-branch.ts'
import { reconcileSpace } from './reconcile-space.ts'

export type Head = { ref: string; head: Oid }

/**
 * Returns the primary head for a writer, after settling leftover intents and recording pushes. Hold
 * the space's lock. Throws Fault 'unavailable' while the space is read-only, 'too_large' if it has
 * reached its limit.
 */
export async function readHeads(
  ctx: Context,
  space: Pick<SpaceRow, 'id'>,
): Promise<{ primary: Head }> {
  const repo = spaceRepository(ctx, space.id)
  await checkRoom(ctx, space.id)
  await settleLeftovers(ctx, repo, space.id)
  return { primary: await readHead(ctx, space, () => primaryRef(ctx, space.id)) }
}

/**
 * Reads heads like `readHeads`, with the current row of a change request and its branch. Throws
 * 'missing' if it is gone.
 */
export async function readHeadsOf(
  ctx: Context,
  space: Pick<SpaceRow, 'id'>,
  request: Pick<ChangeRequestRow, 'id' | 'number' | 'status'>,
): Promise<{ primary: Head; branch: Head; changeRequest: ChangeRequestRow }> {
  const { primary } = await readHeads(ctx, space)
  const ref = changeRequestRef(request.number)
  const find = () => findChangeRequest(ctx.store, space.id, request.id)
  const before = find()
  const read = before?.status === 'merged' ? undefined : await readHead(ctx, space, () => ref)
  // Reading the head may have recorded a push.
  const changeRequest = read && read.head !== before?.revision ? find() : before
  if (!changeRequest) throw missing('change request', request.id)
  return { primary, branch: read ?? { ref, head: changeRequest.revision }, changeRequest }
}

/** How often a push may arrive while the previous one is being recorded. */
const mostTries = 5

/**
 * Writes build only on recorded heads, so that no push is skipped. Reconciling may change the
 * primary branch.
 */
async function readHead(
  ctx: Context,
  space: Pick<SpaceRow, 'id'>,
  refNow: () => string,
): Promise<Head> {
  for (let tries = 1; ; tries++) {
    const ref = refNow()
    const head = headOf(ctx, space.id, ref)
    if (head && isCache(ctx)) {
      // The head may be newer than the folder was when the lock was taken.
      await objectInfo(spaceRepository(ctx, space.id), [head])
      return { ref, head }
    }
    if (head && head === findMirroredRef(ctx.store, space.id, ref)) return { ref, head }
    if (!head && tries > 1) throw missingBranch(space.id, ref)
    if (tries > mostTries)
      throw new GitError('ref_moved', `${ref} moves faster than its moves can be recorded.`)
    await reconcileSpace(ctx, space)
  }
}
