import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { listUnmerged } from '../../store/discussions/change-requests.ts'
import { findMirroredRef } from '../../store/git/refs.ts'
import { findLastRevision } from '../../store/git/revisions.ts'
import { ignoreDatabaseError } from '../../store/note.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { ChangeRequestRow, SpaceRow } from '../../store/tables/rows.ts'
import { pushed } from '../clearance/clear-content.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { publish } from '../journal/publish.ts'
import { settleLeftovers } from '../journal/settle-intent.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { putBackRefs } from '../repositories/put-back-refs.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { indexFew } from '../revisions/index-history.ts'
import { countPushed } from './count-pushed.ts'
import { keepDropped } from './keep-dropped.ts'
import { recordJump } from './published-jump.ts'
import { recordPushedIds } from './record-pushed-ids.ts'
import { undoBranchName } from './undo-branch-name.ts'

/**
 * Records what was done to a space's branches from outside (a push, a commit by hand), so that rows
 * and page ids follow, and restores branches that must not be deleted. Hold the space's lock.
 * Idempotent.
 */
export async function reconcileSpace(ctx: Context, space: Pick<SpaceRow, 'id'>): Promise<void> {
  const repo = spaceRepository(ctx, space.id)
  await settleLeftovers(ctx, repo, space.id)
  await undoBranchName(ctx, space.id)
  const primary = primaryRef(ctx, space.id)

  await adopt(ctx, repo, space.id, primary, async moved => {
    const jump = await jumpOf(ctx, repo, space.id, moved)
    return {
      moves: jump.moves,
      effects: [
        { do: 'update-space', id: space.id, set: { updated_at: moved.at, pristine: 0 } },
        ...jump.effects,
        ...pushEvent(ctx, space.id, undefined, moved),
      ],
    }
  })
  for (const request of listUnmerged(ctx.store, space.id))
    await reconcileChangeRequest(ctx, repo, request)
  const head = headOf(ctx, space.id, primary)

  // An empty index was lost with derived.db. The job that updates the search index, or the next
  // reader, rebuilds it. If many revisions are missing, they are left to that job as well, because
  // all writers wait for this lock.
  if (head && findLastRevision(ctx.store, space.id))
    await indexFew(ctx, repo, space.id, head).catch(ignoreDatabaseError)
}

/** Reconciles the branch of one change request, like `reconcileSpace`. */
export async function reconcileChangeRequest(
  ctx: Context,
  repo: Repository,
  request: ChangeRequestRow,
): Promise<void> {
  if (request.status === 'merged') return
  await adopt(ctx, repo, request.space_id, changeRequestRef(request.number), async moved => ({
    moves: [],
    effects: [
      {
        do: 'update-change-request',
        id: request.id,
        set: { revision: moved.head, updated_at: moved.at },
      },
      ...(await countPushed(ctx, repo, request, moved)),
      ...pushEvent(ctx, request.space_id, request.id, moved),
    ],
  }))
}

type Moved = { head: Oid; known: Oid | undefined; at: string }
type Following = { moves: RefMove[]; effects: Effect[] }

/**
 * Returns what keeps the published line together if a merge was pushed whose first parent is
 * foreign.
 */
const jumpOf = async (
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { known, head, at }: Moved,
): Promise<Following> =>
  known
    ? recordJump(ctx, repo, spaceId, { known, head, at: new Date(at) })
    : { moves: [], effects: [] }

/** Returns the event of a push. Git does not say by whom. */
function pushEvent(
  ctx: Context,
  spaceId: string,
  changeRequestId: string | undefined,
  { head, known, at }: Moved,
): Effect[] {
  const space = findSpace(ctx.store, spaceId)
  if (!space) return []
  const moved = { space, changeRequestId, revision: head, from: known ?? null, at }
  return [contentMoved(moved, { userId: null, origin: null }, { pushed: true })]
}

/**
 * Records a branch that was moved from outside: its identity notes, a keep ref for a dropped head,
 * its rows. Restores a branch that was deleted.
 */
async function adopt(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  ref: string,
  follow: (moved: Moved) => Promise<Following>,
): Promise<void> {
  const known = findMirroredRef(ctx.store, spaceId, ref)
  const head = headOf(ctx, spaceId, ref)
  if (head === known) return

  if (!head) {
    if (known) await putBackRefs(ctx, spaceId, [[ref, known]])
    return
  }

  const at = ctx.now()
  const moves = await movesFor(ctx, repo, spaceId, known, head, at)
  const following = await follow({ head, known, at: at.toISOString() })

  await publish(ctx, repo, {
    key: spaceId,
    kind: 'adopt-push',
    userId: null,
    clearance: pushed,
    plan: () => ({
      moves: [...moves, ...following.moves, { ref, from: head, to: head }],
      effects: following.effects,
      result: undefined,
    }),
  })

  // Measure the repository again at the next write.
  repo.processes.sizes.delete(repo.dir)
  ctx.log.info({ space: spaceId, ref, head }, 'recorded commits from outside')
}

async function movesFor(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  known: Oid | undefined,
  head: Oid,
  at: Date,
): Promise<RefMove[]> {
  if (!known) return []
  const notes = await recordPushedIds(ctx, repo, spaceId, { known, head, at })
  return [...(await keepDropped(ctx, repo, spaceId, { old: known, head })), ...notes]
}

/** Reconciles a space like `reconcileSpace`; retries if another push arrives meanwhile. */
export async function reconcileAgainIfRaced(
  ctx: Context,
  space: Pick<SpaceRow, 'id'>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await reconcileSpace(ctx, space)
    } catch (error) {
      if (tries >= 5 || !isGitError(error, 'ref_moved')) throw error
    }
  }
}
