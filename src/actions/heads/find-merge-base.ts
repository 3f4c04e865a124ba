import type { Context } from '../../context.ts'
import { mergeBase } from '../../git/commits/merge.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Oid } from '../../git/values/oid.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { primaryHead } from './reconcile-space.ts'

/** The best common ancestor of two commits never changes; null: they have none. */
const known = new BoundedCache<string, { base: Oid | null }>(20_000)

/**
 * The commit that a change request's changes are told against: where its branch and the primary content last had the
 * same history, for a merged one just before the merge. Null: the two have no history in common.
 */
export async function findMergeBase(ctx: Context, request: ChangeRequestRow): Promise<Oid | null> {
  const repo = spaceRepository(ctx, request.space_id)
  const merged = request.revision_merged ? await readCommit(repo, request.revision_merged as Oid) : undefined
  const primary = merged?.parents[0] ?? (await primaryHead(ctx, { id: request.space_id })).head
  const key = `${primary} ${request.revision}`
  const before = known.get(key)
  if (before) return before.base
  const base = (await mergeBase(repo, primary, request.revision as Oid)) ?? null
  known.set(key, { base }, 1)
  return base
}
