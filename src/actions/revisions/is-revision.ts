import type { Context } from '../../context.ts'
import { reachable } from '../../git/history/history.ts'
import { readCommit } from '../../git/objects/objects.ts'
import { listRefs, readRef } from '../../git/refs/refs.ts'
import type { Oid } from '../../git/values/oid.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { findRevision } from '../../store/git/revisions.ts'
import { contentRefs, keepRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'

/** Commits that a space was seen to have: what was reachable once stays so, for a branch that leaves a commit behind keeps it. */
const seen = new BoundedCache<string, true>(20_000)

/** Notes that a commit is a revision of the space: for whoever has just put it on a branch. */
export const noteRevision = (spaceId: string, oid: string): void => seen.set(`${spaceId} ${oid}`, true, 1)

/** Forgets which commits spaces were seen to have: some were removed for good. */
export const forgetRevisions = (): void => seen.clear()

/**
 * Whether a commit is a revision of the space: reachable from one of its branches, or kept because a row names it. At
 * once for the published ones and for those asked for before.
 */
export async function isRevision(ctx: Context, spaceId: string, oid: Oid): Promise<boolean> {
  const key = `${spaceId} ${oid}`
  if (seen.get(key)) return true
  const found = findRevision(ctx.store, spaceId, oid) !== undefined || (await isHeld(ctx, spaceId, oid))
  if (found) seen.set(key, true, 1)
  return found
}

async function isHeld(ctx: Context, spaceId: string, oid: Oid): Promise<boolean> {
  const repo = spaceRepository(ctx, spaceId)
  // A tag is followed to its commit, which has another id.
  if ((await readCommit(repo, oid))?.oid !== oid) return false
  if (await readRef(repo, keepRef(oid))) return true
  const heads = new Set<Oid>()
  for (const prefix of contentRefs)
    for (const head of (await listRefs(repo, prefix)).values()) heads.add(head)
  return reachable(repo, oid, [...heads])
}
