import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { readRef } from '../../git/refs/refs.ts'
import { GitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { findMirroredRef } from '../../store/git/refs.ts'
import type { ChangeRequestRow, SpaceRow } from '../../store/tables/rows.ts'
import { settleLeftovers } from '../journal/settle-operation.ts'
import { checkRoom } from '../repositories/check-quota.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { MissingBranch } from './missing-branch.ts'
import { reconcileSpace } from './reconcile-space.ts'

export type Head = { ref: string; head: Oid }

/**
 * The head of a space's primary content, for somebody who is about to write: with what was left over settled and what was
 * pushed from outside taken note of. Hold the space's lock. Throws Fault 'unavailable' while the space is read-only,
 * 'too_large' when it has reached its limit.
 */
export async function readHeads(ctx: Context, space: Pick<SpaceRow, 'id'>): Promise<{ primary: Head }> {
  const repo = spaceRepository(ctx, space.id)
  await checkRoom(ctx, space.id)
  await settleLeftovers(ctx, repo, space.id)
  const ref = await defaultBranch(repo)
  return { primary: await readHead(ctx, space, ref) }
}

/** The same with a change request, which is read anew, and its branch. Throws 'missing' when it is gone. */
export async function readHeadsOf(
  ctx: Context,
  space: Pick<SpaceRow, 'id'>,
  request: Pick<ChangeRequestRow, 'id' | 'number' | 'status'>,
): Promise<{ primary: Head; branch: Head; changeRequest: ChangeRequestRow }> {
  const { primary } = await readHeads(ctx, space)
  const ref = changeRequestRef(request.number)
  const merged = findChangeRequest(ctx.store, space.id, request.id)?.status === 'merged'
  const read = merged ? undefined : await readHead(ctx, space, ref)
  const changeRequest = findChangeRequest(ctx.store, space.id, request.id)
  if (!changeRequest) throw missing('change request', request.id)
  return { primary, branch: read ?? { ref, head: changeRequest.revision as Oid }, changeRequest }
}

/** How often somebody may push again while what was pushed before is taken note of. */
const mostTries = 5

/** Only what was taken note of is built upon: a push that comes while that is done is not passed over. */
async function readHead(ctx: Context, space: Pick<SpaceRow, 'id'>, ref: string): Promise<Head> {
  const repo = spaceRepository(ctx, space.id)
  for (let tries = 1; ; tries++) {
    const head = await readRef(repo, ref)
    if (head && head === findMirroredRef(ctx.store, space.id, ref)) return { ref, head }
    if (!head && tries > 1) throw new MissingBranch(space.id, ref)
    if (tries > mostTries) throw new GitError('ref_moved', `${ref} moves faster than it is taken note of.`)
    await reconcileSpace(ctx, space)
  }
}
