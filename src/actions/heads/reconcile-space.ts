import type { Context } from '../../context.ts'
import { isAncestor } from '../../git/commits/merge.ts'
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
import { commitOperation } from '../journal/commit-operation.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { noteUnlessStuck, settleLeftovers } from '../journal/settle-operation.ts'
import { changeRequestRef, keepRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { indexHistory } from '../revisions/index-history.ts'
import { countPushed } from './count-pushed.ts'
import { MissingBranch } from './missing-branch.ts'
import { noteJump } from './published-jump.ts'
import { noteArrival } from './record-pushed-ids.ts'

/**
 * Takes note of what was done to a space's branches from outside (a push, a commit by hand), so that rows and identity
 * follow, and puts back what must not go. Hold the space's lock. Doing it again is harmless.
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

/** The same for the branch of one change request. */
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

/** What keeps the published history together when somebody pushed a merge whose first parent is not ours. */
const jumpOf = async (
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { known, head, at }: Moved,
): Promise<Following> =>
  known ? noteJump(ctx, repo, spaceId, { known, head, at: new Date(at) }) : { moves: [], effects: [] }

/** The event of a push: by whom, Git does not say. */
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

/** Makes a branch that moved (or went) outside one of ours again: its note, its old value kept if it left it, its rows. */
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
  await commitOperation(ctx, repo, {
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
  // What was pushed counts from the next write on.
  repo.processes.sizes.delete(repo.dir)
  ctx.log.info({ space: spaceId, ref, head }, 'took note of commits from outside')
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
  const notes = await noteArrival(ctx, repo, spaceId, { known, head, at })
  const keep = keepRef(known)
  const isLeft = !(await isAncestor(repo, known, head)) && !(await readRef(repo, keep))
  return isLeft ? [{ ref: keep, from: null, to: known }, ...notes] : notes
}

/** The head of a space's primary content as Git has it now, with anything that came from outside taken note of first. */
export async function primaryHead(
  ctx: Context,
  space: Pick<SpaceRow, 'id'>,
): Promise<{ ref: string; head: Oid }> {
  const repo = spaceRepository(ctx, space.id)
  const ref = await defaultBranch(repo)
  let head = await readRef(repo, ref)
  if (!head || head !== findMirroredRef(ctx.store, space.id, ref)) {
    await noteMoved(ctx, space)
    head = await readRef(repo, ref)
  }
  if (!head) throw new MissingBranch(space.id, ref)
  return { ref, head }
}

/**
 * Takes note of what was pushed to a space that perhaps nobody asks for; where nothing was, it is a look at its branches.
 * Gives whether there was something.
 */
export async function notePushes(ctx: Context, space: Pick<SpaceRow, 'id'>): Promise<boolean> {
  const repo = spaceRepository(ctx, space.id)
  const branches = listMirroredBranches(ctx.store, space.id)
  const moved =
    !branches.has(defaultBranch(repo)) || [...branches].some(([ref, oid]) => readRef(repo, ref) !== oid)
  if (moved) await noteMoved(ctx, space)
  return moved
}

async function noteMoved(ctx: Context, space: Pick<SpaceRow, 'id'>): Promise<void> {
  const note = () => againIfRaced(() => reconcileSpace(ctx, space))
  await ctx.locks.run(space.id, () => noteUnlessStuck(space.id, note))
}

/** An outsider may push once more while we take note of the push before. */
async function againIfRaced(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries >= 5 || !isGitError(error, 'ref_moved')) throw error
    }
  }
}
