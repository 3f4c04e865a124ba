import type { Context } from '../../context.ts'
import { isComplete } from '../../git/history/complete.ts'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { moveRefs, type RefMove, readRef } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { listUnmerged } from '../../store/discussions/change-requests.ts'
import { findMirroredRef, listMirroredBranches } from '../../store/git/refs.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { ChangeRequestRow, SpaceRow } from '../../store/tables/rows.ts'
import { pushed } from '../clearance/clear-content.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { publish } from '../journal/publish.ts'
import { settleLeftovers, unlessStuck } from '../journal/settle-intent.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { indexHistory } from '../revisions/index-history.ts'
import { countPushed } from './count-pushed.ts'
import { keepDropped } from './keep-dropped.ts'
import { MissingBranch } from './missing-branch.ts'
import { recordJump } from './published-jump.ts'
import { recordPushedIds } from './record-pushed-ids.ts'

/**
 * Records what was done to a space's branches from outside (a push, a commit by hand), so that rows and page ids
 * follow, and restores branches that must not be deleted. Hold the space's lock. Idempotent.
 */
export async function reconcileSpace(ctx: Context, space: Pick<SpaceRow, 'id'>): Promise<void> {
  const repo = spaceRepository(ctx, space.id)
  await settleLeftovers(ctx, repo, space.id)
  const primary = await defaultBranch(repo)
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
  for (const request of listUnmerged(ctx.store, space.id)) await reconcileChangeRequest(ctx, repo, request)
  const head = await readRef(repo, primary)
  if (head) await indexHistory(ctx, repo, space.id, head)
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
      ...(await countPushed(ctx, repo, request.id, moved)),
      ...pushEvent(ctx, request.space_id, request.id, moved),
    ],
  }))
}

type Moved = { head: Oid; known: Oid | undefined; at: string }
type Following = { moves: RefMove[]; effects: Effect[] }

/** Returns what keeps the published line together if a merge was pushed whose first parent is foreign. */
const jumpOf = async (
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { known, head, at }: Moved,
): Promise<Following> =>
  known ? recordJump(ctx, repo, spaceId, { known, head, at: new Date(at) }) : { moves: [], effects: [] }

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
 * Records a branch that was moved from outside: its identity notes, a keep ref for a dropped head, its rows. Restores
 * a branch that was deleted.
 */
async function adopt(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  ref: string,
  follow: (moved: Moved) => Promise<Following>,
): Promise<void> {
  const known = findMirroredRef(ctx.store, spaceId, ref) as Oid | undefined
  const head = await readRef(repo, ref)
  if (head === known) return
  if (!head) {
    if (known && (await isComplete(repo, known, []))) await moveRefs(repo, [{ ref, from: null, to: known }])
    return
  }
  const at = ctx.now()
  const moves = await movesFor(ctx, repo, spaceId, known, head, at)
  const following = await follow({ head, known, at: at.toISOString() })
  await publish(ctx, repo, {
    spaceId,
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
  return [...(await keepDropped(repo, known, head)), ...notes]
}

/** Returns the primary head as Git has it now, after recording pushes. */
export async function primaryHead(
  ctx: Context,
  space: Pick<SpaceRow, 'id'>,
): Promise<{ ref: string; head: Oid }> {
  const repo = spaceRepository(ctx, space.id)
  const ref = await defaultBranch(repo)
  let head = await readRef(repo, ref)
  if (!head || head !== findMirroredRef(ctx.store, space.id, ref)) {
    await reconcileForReader(ctx, space)
    head = await readRef(repo, ref)
  }
  if (!head) throw new MissingBranch(space.id, ref)
  return { ref, head }
}

/** Records what was pushed to a space; if nothing was, only reads its branches. Returns whether there was a push. */
export async function recordPushes(ctx: Context, space: Pick<SpaceRow, 'id'>): Promise<boolean> {
  const repo = spaceRepository(ctx, space.id)
  const branches = listMirroredBranches(ctx.store, space.id)
  const moved =
    !branches.has(defaultBranch(repo)) || [...branches].some(([ref, oid]) => readRef(repo, ref) !== oid)
  if (moved) await reconcileForReader(ctx, space)
  return moved
}

async function reconcileForReader(ctx: Context, space: Pick<SpaceRow, 'id'>): Promise<void> {
  const work = () => againIfRaced(() => reconcileSpace(ctx, space))
  await ctx.locks.run(space.id, () => unlessStuck(ctx, space.id, work))
}

/** Retries if another push arrives meanwhile. */
async function againIfRaced(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries >= 5 || !isGitError(error, 'ref_moved')) throw error
    }
  }
}
