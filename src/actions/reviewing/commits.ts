import { cacheSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { countApart } from '../../git/history/count-apart.ts'
import { firstParentsBeyond } from '../../git/history/history.ts'
import { readCommit, readCommits } from '../../git/objects/objects.ts'
import type { Commit } from '../../git/values/parse.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { spaceRepository } from '../repositories/space-repository.ts'

/** How many commits the branch of a change request, and the primary content, have for themselves. */
type Apart = { ahead: number; behind: number }

/** By `<primary head> <branch head>`; they never change. */
const apartCache = cacheSlot<Apart>('commitCounts')

/** Estimated bytes of an entry. */
const entryBytes = 250

/** Returns the primary content that a change request is merged into, or was. */
async function primaryOf(ctx: Context, request: ChangeRequestRow): Promise<Oid> {
  const repo = spaceRepository(ctx, request.space_id)
  const merge = request.revision_merged
    ? await readCommit(repo, request.revision_merged)
    : undefined
  return merge?.parents[0] ?? (await primaryHead(ctx, { id: request.space_id })).head
}

/** Returns how far a change request and the primary content are apart; see `Apart`. */
export async function countCommits(ctx: Context, request: ChangeRequestRow): Promise<Apart> {
  const primary = await primaryOf(ctx, request)
  const key = `${primary} ${request.revision}`
  const counts = ctx.caches.get(apartCache)
  const known = counts.get(key)
  if (known) return known

  const repo = spaceRepository(ctx, request.space_id)
  const { one: ahead, other: behind } = await countApart(repo, request.revision, primary)

  counts.set(key, { ahead, behind }, entryBytes)

  return { ahead, behind }
}

/**
 * Returns how many commits the branch of a change request got since it was at a revision; undefined
 * if it does not continue there, or the revision does not exist.
 */
export async function newCommits(
  ctx: Context,
  { space_id, revision }: ChangeRequestRow,
  seen: Oid,
): Promise<number | undefined> {
  if (seen === revision) return 0
  const repo = spaceRepository(ctx, space_id)
  if (!(await readCommit(repo, seen))) return undefined
  const { one, other } = await countApart(repo, revision, seen)
  return other === 0 ? one : undefined
}

/** Returns the latest commits of the branch of a change request on its first-parent line, newest first. */
export async function latestCommits(
  ctx: Context,
  request: ChangeRequestRow,
  most: number,
): Promise<Commit[]> {
  const repo = spaceRepository(ctx, request.space_id)
  const primary = await primaryOf(ctx, request)
  const oids = await firstParentsBeyond(repo, request.revision, [primary], most)
  const commits = await readCommits(repo, oids)
  return oids.flatMap(oid => commits.get(oid) ?? [])
}
