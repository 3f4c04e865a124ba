import type { Context } from '../../context.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { openQuarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch, setDefaultBranch } from '../../git/refs/default-branch.ts'
import { moveRefs, type RefMove, readRef } from '../../git/refs/refs.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { listMirroredRefs } from '../../store/git/refs.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { type Arrival, clearContent } from '../clearance/clear-content.ts'
import { noteJump } from '../heads/published-jump.ts'
import { reconcileSpace } from '../heads/reconcile-space.ts'
import { noteArrival } from '../heads/record-pushed-ids.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import { commitOperation } from '../journal/commit-operation.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { authorOf, service, withTrailers } from '../repositories/commit-signatures.ts'
import { changeRequestNumberOf, isAmongChangeRequests, keepRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { indexHistory, type Unindexed } from '../revisions/index-history.ts'
import { combineTrees, type Winner } from './combine-trees.ts'
import { countFiles, type FileCounts } from './count-files.ts'
import { rebasedCommit } from './rebased-commit.ts'

export type Adoption = {
  commit: Oid
  /** The branch that it came from: an untouched space takes its name. */
  ref: string
  /** The message of the merge commit, where one is made. */
  message: string
  by: UserRow
  /** Whether the commit's side wins where both sides differ, and whether it replaces all of the content. */
  winner: Winner
  /** What was taken in last of the same branch of the same remote. */
  seen?: Oid | undefined
  /** The space keeps the name of its branch, also when it was never written to. */
  keepBranch?: boolean
  /** Further refs that move with it; it is told whether anything was taken in. */
  extraMoves?: (taken: boolean) => Promise<RefMove[]>
  /** What the index of the history will lack, where it is read meanwhile. */
  unindexed?: Promise<Unindexed | undefined>
  /** The row changes that are due with it. */
  effects: (adopted: Adopted) => Effect[]
}

/** What came of an adoption. */
export type Adopted = {
  head: Oid
  at: Date
  /** Whether the commit brought anything that the space did not have. */
  taken: boolean
  /** How the files of the space changed; undefined: too many to count. */
  counts: FileCounts | undefined
}

/**
 * Brings a commit from a remote into a space's primary content: an untouched space takes over its history as it is,
 * a space that is behind fast-forwards, any other merges. Gives the new head. Throws SyncFailure with the conflicts.
 */
export const adoptCommit = (ctx: Context, spaceId: string, adoption: Adoption): Promise<Oid> =>
  againIfMoved(() =>
    ctx.locks.run(spaceId, async () => {
      await reconcileSpace(ctx, { id: spaceId })
      const space = findSpace(ctx.store, spaceId)
      if (!space) throw new Error(`The space ${spaceId} is gone.`)
      const repo = spaceRepository(ctx, spaceId)
      // Before any ref leads to it: an untouched space takes the branch of the commit first.
      await clearContent(ctx, repo, { space, by: adoption.by }, arrivalOf(repo, adoption))
      if (isUntouched(space, adoption)) await takeBranchName(repo, adoption)
      const head = await adopt(ctx, repo, space, adoption)
      await indexHistory(ctx, repo, spaceId, head, await adoption.unindexed)
      return head
    }),
  )

function arrivalOf(repo: Repository, { commit }: Adoption): Arrival {
  const now = readRef(repo, defaultBranch(repo))
  return { head: commit, beside: now ? [now] : [] }
}

/** True for a space that holds nothing but its first commit, and that nobody builds on: it takes over a history as it is. */
const isUntouched = (space: SpaceRow, { keepBranch }: Adoption): boolean =>
  Boolean(space.pristine) && space.last_change_request === 0 && !keepBranch

/**
 * Gives an untouched space the remote's branch name: the branch first, then HEAD, so that a crash in between leaves a
 * space that works either way and the next try goes on. A name that stands in the way of another branch is not taken.
 */
async function takeBranchName(repo: Repository, { commit, ref }: Adoption): Promise<void> {
  if (isAmongChangeRequests(ref) || (await defaultBranch(repo)) === ref) return
  const there = (await readRef(repo, ref)) ?? null
  try {
    if (there !== commit) await moveRefs(repo, [{ ref, from: there, to: commit }])
  } catch (error) {
    if (isGitError(error, 'ref_conflict')) return
    throw error
  }
  await setDefaultBranch(repo, ref)
}

async function adopt(ctx: Context, repo: Repository, space: SpaceRow, adoption: Adoption): Promise<Oid> {
  const primary = await defaultBranch(repo)
  const now = (await readRef(repo, primary)) ?? null
  const mirrored = listMirroredRefs(ctx.store, space.id)
  // The branch that was the primary one until `takeBranchName`.
  const former = [...mirrored.keys()].filter(
    ref => ref.startsWith('refs/heads/') && ref !== primary && changeRequestNumberOf(ref) === undefined,
  )
  const known = (mirrored.get(primary) ?? former.map(ref => mirrored.get(ref))[0] ?? now) as Oid
  const at = ctx.now()
  const untouched = isUntouched(space, adoption)
  const joined = untouched ? undefined : await join(repo, space, now as Oid, adoption, at)
  const head = joined?.head ?? adoption.commit
  const taken = head !== now || untouched

  const moves: RefMove[] = []
  if (known && known !== head && !(await isAncestor(repo, known, head))) {
    const ref = keepRef(known)
    if (!(await readRef(repo, ref))) moves.push({ ref, from: null, to: known })
  }
  if (head !== known) moves.push(...(await noteArrival(ctx, repo, space.id, { known, head, at })))
  const jump = await noteJump(ctx, repo, space.id, { known, head, at })
  moves.push(...jump.moves)
  for (const ref of former) {
    const oid = await readRef(repo, ref)
    if (oid) moves.push({ ref, from: oid, to: null })
  }
  if (adoption.extraMoves) moves.push(...(await adoption.extraMoves(taken)))
  moves.push({ ref: primary, from: now, to: head })
  const counts = await countFiles(repo, known, head)
  const beside = [known, adoption.commit]
  return commitOperation(ctx, repo, {
    spaceId: space.id,
    kind: 'adopt-commit',
    userId: adoption.by.id,
    clearance: await clearContent(ctx, repo, { space, by: adoption.by }, { head, beside }),
    plan: () => ({
      moves,
      effects: [
        ...movedEffects(space, adoption, { head, known, taken, at }),
        ...(joined?.made ? [noteMerge(space, joined.head)] : []),
        ...jump.effects,
        ...adoption.effects({ head, at, taken, counts }),
      ],
      result: head,
    }),
  })
}

/** What the rows say of a space whose head has moved. */
function movedEffects(
  space: SpaceRow,
  { by }: Adoption,
  { head, known, taken, at }: { head: Oid; known: Oid; taken: boolean; at: Date },
): Effect[] {
  const time = at.toISOString()
  const effects: Effect[] = []
  if (taken) effects.push({ do: 'update-space', id: space.id, set: { updated_at: time, pristine: 0 } })
  if (head !== known) {
    const moved = { space, revision: head, from: known, at: time }
    effects.push(contentMoved(moved, { userId: by.id, origin: null }, { synchronized: true }))
  }
  return effects
}

const noteMerge = (space: SpaceRow, oid: Oid): Effect => ({
  do: 'note-service-commit',
  row: { space_id: space.id, oid, kind: 'import' },
})

/** The head that holds both: one of the two when it holds the other already, else a commit that is made. */
async function join(
  repo: Repository,
  space: SpaceRow,
  head: Oid,
  { commit, seen, message, by, winner }: Adoption,
  at: Date,
): Promise<{ head: Oid; made: boolean }> {
  const isOld = await isAncestor(repo, commit, head)
  if (isOld && !(winner?.replace && (await treeOf(repo, commit)) !== (await treeOf(repo, head))))
    return { head, made: false }
  if (!isOld && (await isAncestor(repo, head, commit))) return { head: commit, made: false }
  const theirs = isOld ? commit : await rebasedCommit(repo, { head, commit, seen })
  const tree = await combineTrees(repo, head, theirs, winner)
  const quarantine = openQuarantine(repo)
  const merged = await quarantine.writeCommit({
    tree,
    parents: isOld ? [head] : [head, commit],
    author: authorOf(by, at),
    committer: service(at),
    message: withTrailers(message, { 'Stemma-Space': space.id, 'Stemma-Operation': 'import' }),
  })
  await quarantine.flush()
  return { head: merged, made: true }
}
