import { cacheSlot, stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import type { MergeConflict } from '../../git/commits/merge.ts'
import { type GitError, type GitErrorCode, isGitError } from '../../git/values/errors.ts'
import { SharedWork } from '../../lib/shared-work.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { primaryHeadNow } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { knownToContain } from '../revisions/find-outdated.ts'
import { tryMerge } from '../revisions/merge-commits.ts'
import {
  type Conflict,
  type ConflictingFile,
  describeConflicts,
  fromOtherSide,
  nameConflicts,
  type Sides,
} from '../revisions/name-conflicts.ts'
import {
  type Resolution,
  type ResolvedFile,
  tryResolutions,
} from '../revisions/resolve-conflicts.ts'
import { judgeMerge } from './judge-merge.ts'
import type { UnmetRule } from './merge-rules.ts'

/** What came of a merge that was tried: the conflicts, or why Git could not merge, until when. */
type Tried = { conflicts: readonly MergeConflict[] } | { error: GitError; until: number }

/** Merges that were tried, by space, primary head and branch head. */
const triedCache = cacheSlot<Tried>('mergeConflicts')

/** How long a merge that failed is not tried again, in milliseconds. */
const failedMs = 60_000

/** Failures that say nothing about the two commits. */
const passing = new Set<GitErrorCode>(['aborted', 'busy', 'no_space'])

/** Merges that are tried now, and comparisons of the texts in conflict, by the same pair. */
const mergesInProgress = stateSlot(() => new SharedWork<Tried>())
const textsInProgress = stateSlot(() => new SharedWork<Conflict[]>())

/** Estimated bytes of an entry, and of each conflict in it. */
const entryBytes = 250
const conflictBytes = 1000

/** What stands in the way of a merge. */
export type Mergeability = { conflicts: ConflictingFile[]; unmetRules: UnmetRule[] }

/** A change request with its current revision, and whether it lacks something of the content. */
type Proposal = { space: SpaceRow; row: ChangeRequestRow; outdated: boolean; by: UserRow }

/**
 * Returns what stands in the way of a merge of a change request by a user, as it is now; their role
 * is not considered. Undefined where Git cannot merge the two: their histories are unrelated, the
 * merge takes too long, or the repository is damaged. May take the space's lock: do not hold it.
 */
export async function findMergeability(
  ctx: Context,
  proposal: Proposal,
): Promise<Mergeability | undefined> {
  const { space, row } = proposal
  const { head } = await primaryHead(ctx, space)
  const sides = { ours: row.revision, theirs: head }
  const proposed = { ...proposal, head: sides.ours, primaryHead: head }

  try {
    // The head may be a newer one than `outdated` is about.
    const isWithin = knownToContain(ctx, sides.ours, sides.theirs) === true
    const found = isWithin ? [] : await conflictsOf(ctx, space.id, sides)
    const conflicts = await nameConflicts(ctx, space.id, sides, found)
    return { conflicts, unmetRules: judgeMerge(ctx, proposed).unmet }
  } catch (error) {
    if (isGitError(error)) return undefined
    throw error
  }
}

/** How many merges without a kept result a list tries, and for how many milliseconds it starts them. */
const mostTried = 4
const tryForMs = 50

/**
 * Returns how many conflicts each of some change requests has with the primary content, by its id,
 * as far as that is known: of merges without a kept result, a few are tried. Heads of branches are
 * those of the rows.
 */
export async function findKnownConflicts(
  ctx: Context,
  rows: readonly ChangeRequestRow[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const started = performance.now()
  let tried = 0

  for (const { id, space_id: spaceId, revision: ours } of rows) {
    const theirs = primaryHeadNow(ctx, spaceId)
    if (theirs === '' || knownToContain(ctx, ours, theirs)) continue
    const sides = { ours, theirs }
    const isTried =
      !triedBefore(ctx, spaceId, sides) &&
      tried < mostTried &&
      performance.now() - started < tryForMs
    if (isTried) tried++
    const conflicts = isTried
      ? await triedConflicts(ctx, spaceId, sides)
      : knownConflicts(ctx, spaceId, sides)
    if (conflicts.length > 0) found.set(id, conflicts.length)
  }

  return found
}

/** Returns the conflicts of two commits; none where Git cannot merge them. */
async function triedConflicts(
  ctx: Context,
  spaceId: string,
  sides: Sides,
): Promise<readonly MergeConflict[]> {
  try {
    return await conflictsOf(ctx, spaceId, sides)
  } catch (error) {
    if (isGitError(error)) return []
    throw error
  }
}

/**
 * Returns the conflicts of a change request with the primary content, with their texts. Throws like
 * `mergeTrees`. May take the space's lock: do not hold it.
 */
export async function findConflicts(ctx: Context, row: ChangeRequestRow): Promise<Conflict[]> {
  const { head } = await primaryHead(ctx, { id: row.space_id })
  const sides = { ours: row.revision, theirs: head }
  return ctx.caches.get(textsInProgress).join(keyOf(row.space_id, sides), undefined, async () => {
    const conflicts = await conflictsOf(ctx, row.space_id, sides)
    return describeConflicts(ctx, row.space_id, sides, conflicts)
  })
}

/** Returns the conflicts of two commits as far as they are known. */
function knownConflicts(ctx: Context, spaceId: string, sides: Sides): readonly MergeConflict[] {
  const tried = triedBefore(ctx, spaceId, sides)
  return tried && 'conflicts' in tried ? tried.conflicts : []
}

/**
 * Returns what came of the merge of two commits, if it is still valid. Conflicts, and that histories
 * are unrelated, never change; other failures may pass, like a merge that took too long.
 */
function triedBefore(ctx: Context, spaceId: string, sides: Sides): Tried | undefined {
  const tried = ctx.caches.get(triedCache).get(keyOf(spaceId, sides))
  return tried && 'until' in tried && tried.until < ctx.now().getTime() ? undefined : tried
}

const keyOf = (spaceId: string, { ours, theirs }: Sides): string => `${spaceId} ${theirs} ${ours}`

/**
 * Returns the files in conflict as resolutions make them; see `tryResolutions`. May take the space's lock: do not
 * hold it.
 */
export async function tryConflictResolutions(
  ctx: Context,
  row: ChangeRequestRow,
  resolutions: readonly Resolution[],
): Promise<ResolvedFile[]> {
  const { head } = await primaryHead(ctx, { id: row.space_id })
  const conflicts = await conflictsOf(ctx, row.space_id, { ours: row.revision, theirs: head })
  return tryResolutions(spaceRepository(ctx, row.space_id), conflicts, resolutions)
}

/**
 * Returns the conflicts between the head of a change request ("ours") and of the primary content.
 * Asks Git once per pair, also for concurrent callers. Throws like `mergeTrees`.
 */
async function conflictsOf(
  ctx: Context,
  spaceId: string,
  sides: Sides,
): Promise<readonly MergeConflict[]> {
  const known = triedBefore(ctx, spaceId, sides)
  const work = () => tryToMerge(ctx, spaceId, sides)
  const tried =
    known ?? (await ctx.caches.get(mergesInProgress).join(keyOf(spaceId, sides), undefined, work))
  if ('error' in tried) throw tried.error
  return tried.conflicts
}

/** Tries a merge, and remembers what came of it. */
async function tryToMerge(ctx: Context, spaceId: string, sides: Sides): Promise<Tried> {
  const cache = ctx.caches.get(triedCache)
  const key = keyOf(spaceId, sides)

  try {
    const merged = await tryMerge(spaceRepository(ctx, spaceId), sides.theirs, sides.ours)
    const conflicts = merged.clean ? [] : fromOtherSide(merged.conflicts)
    cache.set(key, { conflicts }, entryBytes + conflicts.length * conflictBytes)
    return { conflicts }
  } catch (error) {
    if (!isGitError(error)) throw error
    const until = error.code === 'unrelated' ? Infinity : ctx.now().getTime() + failedMs
    const failure = { error, until }
    if (!passing.has(error.code)) cache.set(key, failure, entryBytes + conflictBytes)
    return failure
  }
}
