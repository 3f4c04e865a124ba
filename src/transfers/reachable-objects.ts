import { cacheSlot, stateSlot } from '../caches.ts'
import type { Context } from '../context.ts'
import type { Repository } from '../git/process/processes.ts'
import type { ObjectIds } from '../git/serving/object-ids.ts'
import { findReachable, type Reachable } from '../git/serving/reachable.ts'
import type { Oid } from '../lib/oid.ts'
import { SharedWork } from '../lib/shared-work.ts'

/** Everything that the visible branches of a space lead to, by space. */
const kept = cacheSlot<Reachable>('reachable')
const walks = stateSlot(() => new SharedWork<Reachable>())

/** The repository of a space, with the commits of the branches that clients see. */
export type Branches = { repo: Repository; spaceId: string; tips: readonly Oid[] }

/**
 * Returns the first of these ids that the visible commits do not lead to; undefined when they lead
 * to all. An object that is hidden and one that is not there are the same. Throws GitError.
 */
export async function firstBeyond(
  ctx: Context,
  branches: Branches,
  wanted: readonly Oid[],
  gone: AbortSignal,
): Promise<Oid | undefined> {
  const visible = new Set(branches.tips)
  const others = wanted.filter(oid => !visible.has(oid))
  if (others.length === 0) return undefined
  const { ids } = await reachableOf(ctx, branches, gone)
  return others.find(oid => !ids.has(oid))
}

/** Returns those of these ids that the visible commits lead to. Throws GitError. */
export async function findShown(
  ctx: Context,
  branches: Branches,
  asked: readonly Oid[],
  gone: AbortSignal,
): Promise<Oid[]> {
  const { ids } = await reachableOf(ctx, branches, gone)
  return asked.filter(oid => ids.has(oid))
}

/**
 * Returns everything that these ids lead to, which the visible commits must lead to. For all
 * visible commits, only what is new since the last time is walked. Throws GitError.
 */
export async function objectsOf(
  ctx: Context,
  branches: Branches,
  wanted: readonly Oid[],
  gone: AbortSignal,
): Promise<ObjectIds> {
  const tips = new Set(branches.tips)
  const wants = new Set(wanted)
  const isAll = wants.size === tips.size && wanted.every(oid => tips.has(oid))
  const found = isAll
    ? reachableOf(ctx, branches, gone)
    : findReachable(branches.repo, [...wants], { signal: gone })
  return (await found).ids
}

async function reachableOf(
  ctx: Context,
  { repo, spaceId, tips }: Branches,
  gone: AbortSignal,
): Promise<Reachable> {
  const visible = [...new Set(tips)].sort()
  const cache = ctx.caches.get(kept)
  const found = await ctx.caches
    .get(walks)
    .join(`${spaceId} ${visible.join(' ')}`, gone, signal =>
      findReachable(repo, visible, { known: cache.get(spaceId), signal }),
    )

  cache.set(spaceId, found, found.ids.bytes + found.tips.size * 100)

  return found
}
