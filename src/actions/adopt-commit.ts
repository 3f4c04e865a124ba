import type { Context } from '../context.ts'
import { isGitError } from '../git/errors.ts'
import { isAncestor } from '../git/merge.ts'
import type { Oid } from '../git/oid.ts'
import { openQuarantine } from '../git/quarantine.ts'
import { moveRefs, type RefMove, readRef } from '../git/refs.ts'
import { defaultBranch, type Repository, setDefaultBranch } from '../git/repository.ts'
import { listMirroredRefs } from '../store/refs.ts'
import type { SpaceRow, UserRow } from '../store/rows.ts'
import { findSpace } from '../store/spaces.ts'
import { againIfMoved } from './again-if-moved.ts'
import { type Arrival, clearContent } from './clear-content.ts'
import { combineTrees } from './combine-trees.ts'
import { commitOperation } from './commit-operation.ts'
import { contentMoved } from './content-moved.ts'
import type { Effect } from './effects.ts'
import { indexHistory, type Unindexed } from './index-history.ts'
import { noteArrival } from './note-arrival.ts'
import { authorOf, service, withTrailers } from './people.ts'
import { rebasedCommit } from './rebased-commit.ts'
import { reconcileSpace } from './reconcile-space.ts'
import { changeRequestNumberOf, isAmongChangeRequests, keepRef } from './ref-names.ts'
import { spaceRepository } from './space-repository.ts'

export type Adoption = {
  commit: Oid
  /** The branch that it came from: an untouched space takes its name. */
  ref: string
  /** The message of the merge commit, where one is made. */
  message: string
  by: UserRow
  /** The commit's side wins where both sides changed the same. */
  force: boolean
  /** What was taken in last of the same branch of the same remote. */
  seen?: Oid | undefined
  /** The space keeps the name of its branch, also when it was never written to. */
  keepBranch?: boolean
  /** Further refs that move with it; it is told whether anything was taken in. */
  extraMoves?: (taken: boolean) => Promise<RefMove[]>
  /** What the index of the history will lack, where it is read meanwhile. */
  unindexed?: Promise<Unindexed | undefined>
  /** The row changes that are due with it, told the new head. */
  effects: (head: Oid, at: Date) => Effect[]
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
  const head = untouched ? adoption.commit : await joined(repo, space, now as Oid, adoption, at)

  const moves: RefMove[] = []
  if (known && known !== head && !(await isAncestor(repo, known, head))) {
    const ref = keepRef(known)
    if (!(await readRef(repo, ref))) moves.push({ ref, from: null, to: known })
  }
  if (head !== known) moves.push(...(await noteArrival(ctx, repo, space.id, { known, head, at })))
  for (const ref of former) {
    const oid = await readRef(repo, ref)
    if (oid) moves.push({ ref, from: oid, to: null })
  }
  if (adoption.extraMoves) moves.push(...(await adoption.extraMoves(head !== now || untouched)))
  moves.push({ ref: primary, from: now, to: head })
  const moved = { space, revision: head, from: known, at: at.toISOString() }
  const by = { userId: adoption.by.id, origin: null }
  const beside = [known, adoption.commit]
  return commitOperation(ctx, repo, {
    spaceId: space.id,
    kind: 'adopt-commit',
    userId: adoption.by.id,
    clearance: await clearContent(ctx, repo, { space, by: adoption.by }, { head, beside }),
    plan: () => ({
      moves,
      effects: [
        ...(head === now && !untouched
          ? []
          : [
              {
                do: 'update-space' as const,
                id: space.id,
                set: { updated_at: at.toISOString(), pristine: 0 },
              },
            ]),
        ...(head === known ? [] : [contentMoved(moved, by, { synchronized: true })]),
        ...adoption.effects(head, at),
      ],
      result: head,
    }),
  })
}

/** The head that holds both: one of the two when it holds the other already, else a merge commit. */
async function joined(
  repo: Repository,
  space: SpaceRow,
  head: Oid,
  { commit, seen, message, by, force }: Adoption,
  at: Date,
): Promise<Oid> {
  if (await isAncestor(repo, commit, head)) return head
  if (await isAncestor(repo, head, commit)) return commit
  const theirs = await rebasedCommit(repo, { head, commit, seen })
  const tree = await combineTrees(repo, head, theirs, force ? 'theirs' : undefined)
  const quarantine = openQuarantine(repo)
  const merged = await quarantine.writeCommit({
    tree,
    parents: [head, commit],
    author: authorOf(by, at),
    committer: service(at),
    message: withTrailers(message, { 'Stemma-Space': space.id, 'Stemma-Operation': 'import' }),
  })
  await quarantine.flush()
  return merged
}
