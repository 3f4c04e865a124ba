import { cacheSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { headsContaining } from '../../git/refs/containing.ts'
import type { Oid } from '../../lib/oid.ts'
import { headOf } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'

/** Returns whether the second commit of a key contains the first. The answer never changes. */
const ancestryCache = cacheSlot<boolean>('ancestry')

/** Estimated bytes of an entry: two ids and its place in the map. */
const entryBytes = 200

function remember(ctx: Context, head: Oid, ancestor: Oid, contains: boolean): void {
  ctx.caches.get(ancestryCache).set(`${ancestor} ${head}`, contains, entryBytes)
}

/** Returns whether a commit is known to contain another one; undefined if Git has to be asked. */
export const knownToContain = (ctx: Context, head: Oid, ancestor: Oid): boolean | undefined =>
  head === ancestor || ctx.caches.get(ancestryCache).get(`${ancestor} ${head}`)

/**
 * Carries the cached answer for a branch head and the primary head over to a new commit on top of
 * that branch head.
 */
export function rememberChild(ctx: Context, commit: Oid, head: Oid, primaryHead: Oid): void {
  const contains = knownToContain(ctx, head, primaryHead)
  if (contains !== undefined) remember(ctx, commit, primaryHead, contains)
}

/** Remembers that a new commit on a branch contains this head of the primary content. */
export function rememberUpdate(ctx: Context, commit: Oid, primaryHead: Oid): void {
  remember(ctx, commit, primaryHead, true)
}

/**
 * Returns the heads of those branches of a space that lack something of the primary content (its
 * head is not their ancestor). Pairs asked before are cached; all others together cost one process.
 */
export async function findOutdated(
  ctx: Context,
  spaceId: string,
  primaryHead: Oid,
  branches: readonly { ref: string; head: Oid }[],
): Promise<Set<Oid>> {
  const repo = spaceRepository(ctx, spaceId)
  const asked = branches.filter(({ head }) => knownToContain(ctx, head, primaryHead) === undefined)
  const containing =
    asked.length > 1
      ? await headsContaining(repo, primaryHead, 'refs/heads/change-requests')
      : undefined
  const outdated = new Set<Oid>()

  for (const { ref, head } of asked) {
    // The common answer is only valid for branches that have not moved meanwhile.
    const isCovered = containing !== undefined && headOf(ctx, spaceId, ref) === head
    const contains = isCovered ? containing.has(head) : await isAncestor(repo, primaryHead, head)
    remember(ctx, head, primaryHead, contains)
    if (!contains) outdated.add(head)
  }

  for (const { head } of branches)
    if (knownToContain(ctx, head, primaryHead) === false) outdated.add(head)

  return outdated
}
