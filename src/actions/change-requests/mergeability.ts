import { cacheSlot, stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import type { MergeConflict } from '../../git/commits/merge.ts'
import { isGitError } from '../../git/values/errors.ts'
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
import { judgeMerge } from './judge-merge.ts'
import type { UnmetRule } from './merge-rules.ts'

/** Conflicts of merges by `<primary head> <branch head>`; they never change. */
const conflictCache = cacheSlot<readonly MergeConflict[]>('mergeConflicts')

/** Merges that are tried now, and comparisons of the texts in conflict, by the same pair. */
const mergesInProgress = stateSlot(() => new SharedWork<readonly MergeConflict[]>())
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
    const known = ctx.caches.get(conflictCache).get(`${theirs} ${ours}`)
    const isTried = !known && tried < mostTried && performance.now() - started < tryForMs
    if (isTried) tried++
    const conflicts = known ?? (isTried ? await triedConflicts(ctx, spaceId, { ours, theirs }) : [])
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
  const key = `${row.space_id} ${sides.theirs} ${sides.ours}`
  return ctx.caches.get(textsInProgress).join(key, undefined, async () => {
    const conflicts = await conflictsOf(ctx, row.space_id, sides)
    return describeConflicts(ctx, row.space_id, sides, conflicts)
  })
}

/**
 * Returns the conflicts between the head of a change request ("ours") and of the primary content.
 * Asks Git once per pair, also for concurrent callers. Throws like `mergeTrees`.
 */
async function conflictsOf(
  ctx: Context,
  spaceId: string,
  { ours, theirs }: Sides,
): Promise<readonly MergeConflict[]> {
  const cache = ctx.caches.get(conflictCache)
  const key = `${theirs} ${ours}`
  const known = cache.get(key)
  if (known) return known

  return ctx.caches.get(mergesInProgress).join(`${spaceId} ${key}`, undefined, async () => {
    const merged = await tryMerge(spaceRepository(ctx, spaceId), theirs, ours)
    const conflicts = merged.clean ? [] : fromOtherSide(merged.conflicts)

    cache.set(key, conflicts, entryBytes + conflicts.length * conflictBytes)

    return conflicts
  })
}
