import { setTimeout } from 'node:timers/promises'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../git/values/oid.ts'
import { findLastRevision } from '../../store/git/revisions.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { indexHistory } from '../revisions/index-history.ts'
import { lockSpace } from './open-space.ts'

/**
 * Brings the revision index of a space up to the head of its primary branch `ref`, which may have moved while this waited for
 * the space's lock. Returns the head.
 */
export async function indexUpTo(ctx: Context, spaceId: string, ref: string, head: Oid): Promise<Oid> {
  if (findLastRevision(ctx.store, spaceId)?.oid === head) return head
  const repo = spaceRepository(ctx, spaceId)
  return lockSpace(ctx, spaceId, async () => {
    const now = headOf(ctx, spaceId, ref) ?? head
    await indexHistory(ctx, repo, spaceId, now)
    return now
  })
}

/** The index of a space that is being built. `failed`: when that ended without success, in milliseconds since 1970. */
type Build = { done: Promise<boolean>; failed?: number }

const builds = stateSlot(() => new Map<string, Build>())

/** How long a read waits for the index: a long history takes longer, and does not delay the page. */
const waitMs = 1_000
/** How long a build that failed is not repeated. */
const failedMs = 10 * 60_000

/**
 * Builds the revision index of a space if it is empty because derived.db was lost. Returns false while it is being built,
 * and for ten minutes after that has failed: Git or the database is damaged or busy.
 */
export async function buildIfLost(ctx: Context, spaceId: string): Promise<boolean> {
  if (findLastRevision(ctx.store, spaceId)) return true
  const known = ctx.caches.get(builds)
  const before = known.get(spaceId)
  const isOver = before?.failed !== undefined && Date.now() - before.failed > failedMs
  const build = before && !isOver ? before : start(ctx, spaceId)
  known.set(spaceId, build)
  return Promise.race([build.done, setTimeout(waitMs, false, { ref: false })])
}

function start(ctx: Context, spaceId: string): Build {
  const build: Build = { done: Promise.resolve(false) }
  build.done = indexPrimary(ctx, spaceId).then(
    isBuilt => {
      ctx.caches.get(builds).delete(spaceId)
      return isBuilt
    },
    error => {
      build.failed = Date.now()
      ctx.log.warn({ space: spaceId, err: String(error) }, 'the revision index of a space cannot be built')
      return false
    },
  )
  return build
}

async function indexPrimary(ctx: Context, spaceId: string): Promise<boolean> {
  const ref = primaryRef(ctx, spaceId)
  const head = headOf(ctx, spaceId, ref)
  if (head) await indexUpTo(ctx, spaceId, ref, head)
  return head !== undefined
}
