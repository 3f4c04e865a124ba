import type { Context } from '../../context.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { headsContaining } from '../../git/refs/containing.ts'
import { readRef } from '../../git/refs/refs.ts'
import type { Oid } from '../../git/values/oid.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { spaceRepository } from '../repositories/space-repository.ts'

/** Whether one commit can be reached from another never changes: kept by the two ids, the latest ones. */
const known = new BoundedCache<string, boolean>(50_000)

/**
 * When a commit was first met here, or made on the primary content, in an order of their own: a commit cannot hold what
 * was made after it had been met.
 */
const met = new BoundedCache<Oid, number>(50_000)
const made = new BoundedCache<Oid, number>(10_000)
let clock = 0

const meet = (head: Oid): void => {
  if (met.get(head) === undefined) met.set(head, ++clock, 1)
}

/** Notes that a commit has just been made on the primary content: no branch that stood before can hold it. */
export function notePublished(commit: Oid): void {
  if (met.get(commit) === undefined && made.get(commit) === undefined) made.set(commit, ++clock, 1)
}

const keyOf = (ancestor: Oid, head: Oid) => `${ancestor} ${head}`

/** Whether a commit is known to hold another one; undefined when that was not asked yet. Asks nobody. */
export function knownToContain(head: Oid, ancestor: Oid): boolean | undefined {
  if (head === ancestor) return true
  const [metAt, madeAt] = [met.get(head) ?? made.get(head), made.get(ancestor)]
  if (metAt !== undefined && madeAt !== undefined && metAt < madeAt) return false
  return known.get(keyOf(ancestor, head))
}

/** Tells that a new commit on a branch, made on top of its head, holds what that one was known to hold of the primary content. */
export function noteChild(commit: Oid, head: Oid, primaryHead: Oid): void {
  meet(commit)
  const contains = knownToContain(head, primaryHead)
  if (contains !== undefined) known.set(keyOf(primaryHead, commit), contains, 1)
}

/** Tells that a new commit on a branch holds this head of the primary content. */
export function noteUpdated(commit: Oid, primaryHead: Oid): void {
  known.set(keyOf(primaryHead, commit), true, 1)
  meet(commit)
}

/**
 * The heads of these branches of a space that lack something of the primary content (its head is no ancestor of theirs).
 * Costs nothing for pairs asked before, and one process for all the others together.
 */
export async function findOutdated(
  ctx: Context,
  spaceId: string,
  primaryHead: Oid,
  branches: readonly { ref: string; head: Oid }[],
): Promise<Set<Oid>> {
  const repo = spaceRepository(ctx, spaceId)
  const asked = branches.filter(({ head }) => knownToContain(head, primaryHead) === undefined)
  const containing =
    asked.length > 1 ? await headsContaining(repo, primaryHead, 'refs/heads/change-requests') : undefined
  for (const { ref, head } of asked) {
    // What Git said together holds only for a branch that still stands where it was.
    const together = containing !== undefined && (await readRef(repo, ref)) === head
    const contains = together ? containing.has(head) : await isAncestor(repo, primaryHead, head)
    known.set(keyOf(primaryHead, head), contains, 1)
  }
  for (const { head } of branches) meet(head)
  const heads = branches.map(branch => branch.head)
  return new Set(heads.filter(head => knownToContain(head, primaryHead) === false))
}
