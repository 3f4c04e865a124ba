import type { Context } from '../context.ts'
import { headsContaining } from '../git/containing.ts'
import { isAncestor } from '../git/merge.ts'
import type { Oid } from '../git/oid.ts'
import { readRef } from '../git/refs.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { spaceRepository } from './space-repository.ts'

/** Whether one commit can be reached from another never changes: kept by the two ids, the latest ones. */
const known = new BoundedCache<string, boolean>(50_000)

const keyOf = (ancestor: Oid, head: Oid) => `${ancestor} ${head}`

/** Whether a commit is known to hold another one; undefined when that was not asked yet. Asks nobody. */
export const knownToContain = (head: Oid, ancestor: Oid): boolean | undefined =>
  head === ancestor ? true : known.get(keyOf(ancestor, head))

/** Tells that a new commit on a branch, made on top of its head, holds what that one was known to hold of the primary content. */
export function noteChild(commit: Oid, head: Oid, primaryHead: Oid): void {
  const contains = knownToContain(head, primaryHead)
  if (contains !== undefined) known.set(keyOf(primaryHead, commit), contains, 1)
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
  const heads = branches.map(branch => branch.head)
  return new Set(heads.filter(head => knownToContain(head, primaryHead) === false))
}
