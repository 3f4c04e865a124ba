import type { Context } from '../../context.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import type { Oid } from '../../lib/oid.ts'
import { listMirroredBranches } from '../../store/git/refs.ts'
import { moveBranches } from '../journal/move-branches.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { changeRequestNumberOf, isAmongChangeRequests } from '../repositories/ref-names.ts'
import { missingBranch } from './missing-branch.ts'

/**
 * Makes another branch the primary one of an untouched space. Moves the branch before HEAD, so that
 * readers always find content. The branch starts at the current head; only the journal moves it to
 * new content, and `undoBranchName` undoes what is interrupted before. Does nothing if the name
 * collides with another branch. Hold the lock of the space.
 */
export async function takeBranchName(ctx: Context, spaceId: string, ref: string): Promise<void> {
  const primary = primaryRef(ctx, spaceId)
  const head = headOf(ctx, spaceId, primary)
  if (isAmongChangeRequests(ref) || primary === ref || !head) return

  const current = headOf(ctx, spaceId, ref) ?? null

  const moves = current === head ? [] : [{ ref, from: current, to: head }]

  try {
    await moveBranches(ctx, spaceId, { moves, head: ref })
  } catch (error) {
    if (isGitError(error, 'ref_conflict')) return
    throw error
  }

  crashPoint('W2')
}

/** The branch of the primary content, before a commit is adopted. */
type Primary = {
  ref: string
  /** The commit that the branch has now; null if there is none yet. */
  tip: Oid | null
  /**
   * The head that rows know of. It differs from `tip` when `takeBranchName` has made another branch
   * the primary one.
   */
  recorded: Oid
  /** Branches that were the primary one before. */
  former: string[]
}

/**
 * Returns the branch of the primary content as Git and the rows have it. Throws GitError
 * 'repository_damaged' if neither has one.
 */
export function readPrimary(ctx: Context, spaceId: string): Primary {
  const ref = primaryRef(ctx, spaceId)
  const tip = headOf(ctx, spaceId, ref) ?? null
  const mirrored = listMirroredBranches(ctx.store, spaceId)
  const former = [...mirrored.keys()].filter(
    name => name !== ref && changeRequestNumberOf(name) === undefined,
  )
  const recorded = mirrored.get(ref) ?? former.map(name => mirrored.get(name))[0] ?? tip
  if (!recorded) throw missingBranch(spaceId, ref)
  return { ref, tip, recorded, former }
}

/** Returns the moves that delete these branches. */
export const deletionsOf = (ctx: Context, spaceId: string, refs: readonly string[]): RefMove[] =>
  refs.flatMap(ref => {
    const from = headOf(ctx, spaceId, ref)
    return from ? [{ ref, from, to: null }] : []
  })
