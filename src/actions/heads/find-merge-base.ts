import { cacheSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { mergeBase } from '../../git/commits/merge.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { primaryHead } from './primary-head.ts'

/**
 * Best common ancestors by `<primary head> <branch head>`; they never change. `base` is null for
 * unrelated histories.
 */
const baseCache = cacheSlot<{ base: Oid | null }>('mergeBases')

/** Estimated bytes of an entry. */
const entryBytes = 250

/**
 * Returns the commit that a change request's changes are shown against: the merge base of its
 * branch and the primary content, as of just before the merge for a merged one. Null for unrelated
 * histories.
 */
export async function findMergeBase(ctx: Context, request: ChangeRequestRow): Promise<Oid | null> {
  const repo = spaceRepository(ctx, request.space_id)
  const merged = request.revision_merged
    ? await readCommit(repo, request.revision_merged)
    : undefined
  const primary = merged?.parents[0] ?? (await primaryHead(ctx, { id: request.space_id })).head
  const key = `${primary} ${request.revision}`
  const bases = ctx.caches.get(baseCache)
  const known = bases.get(key)
  if (known) return known.base

  const base = (await mergeBase(repo, primary, request.revision)) ?? null

  bases.set(key, { base }, entryBytes)

  return base
}
