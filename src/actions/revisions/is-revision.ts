import { cacheSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { reachable } from '../../git/history/history.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Oid } from '../../lib/oid.ts'
import { findRevision } from '../../store/git/revisions.ts'
import { headOf, headsBelow } from '../repositories/head-of.ts'
import { contentRefs, keepRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'

/**
 * Commits found to be revisions. They stay revisions: a commit that a branch drops is kept under a
 * keep ref.
 */
const revisionCache = cacheSlot<true>('revisions')

/** Estimated bytes of an entry. */
const entryBytes = 200

/** Remembers that a commit which has just been put on a branch is a revision of the space. */
export function rememberRevision(ctx: Context, spaceId: string, oid: Oid): void {
  ctx.caches.get(revisionCache).set(`${spaceId} ${oid}`, true, entryBytes)
}

/**
 * Returns whether a commit is a revision of the space: reachable from one of its branches, or kept
 * because a row names it. Needs no Git for published revisions and for those asked for before.
 */
export async function isRevision(ctx: Context, spaceId: string, oid: Oid): Promise<boolean> {
  if (ctx.caches.get(revisionCache).get(`${spaceId} ${oid}`)) return true
  const found =
    findRevision(ctx.store, spaceId, oid) !== undefined || (await isHeld(ctx, spaceId, oid))
  if (found) rememberRevision(ctx, spaceId, oid)
  return found
}

async function isHeld(ctx: Context, spaceId: string, oid: Oid): Promise<boolean> {
  const repo = spaceRepository(ctx, spaceId)
  // readCommit peels a tag to its commit, which has another id.
  if ((await readCommit(repo, oid))?.oid !== oid) return false
  if (headOf(ctx, spaceId, keepRef(oid))) return true
  const heads = new Set<Oid>()
  for (const prefix of contentRefs)
    for (const head of (await headsBelow(ctx, spaceId, prefix)).values()) heads.add(head)
  return reachable(repo, oid, [...heads])
}
