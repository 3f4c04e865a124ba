import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { type KnownSize, repositoryBytes } from '../../git/disk/repository-size.ts'
import { sumPacks } from '../../store/cluster/git-log.ts'
import { findCreation } from '../../store/find-creation.ts'
import { note } from '../../store/note.ts'
import { hasSpaceSize, putSpaceSize, sumSpaceSizes } from '../../store/spaces/space-sizes.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import { isCache } from './repository-of.ts'
import { spaceRepository } from './space-repository.ts'

const day = 86_400_000
/**
 * How long a measured size is used, in milliseconds: pushes and upkeep change it without notice.
 */
const goodMs = 600_000
/** Once the bytes written since exceed this part of the limit, the repository is measured again. */
const measureFrom = 1 / 16
/** How long an organization's sum is cached, in milliseconds. */
const sumMs = 30_000
/** The bytes that other nodes may add in a millisecond. */
const addedPerMs = 10_000

/**
 * Checks that a space may be written to: that its repository, and all of its organization's
 * together, are below their limits. Measures the repository now and then and adds what was written
 * in between. Throws 'too_large'.
 */
export async function checkRoom(ctx: Context, spaceId: string): Promise<void> {
  const { maxRepositoryBytes: most } = ctx.config
  const repo = spaceRepository(ctx, spaceId)
  const { sizes } = repo.processes
  const known = sizes.get(repo.dir)
  const isGood =
    known !== undefined &&
    performance.now() - known.measuredAt < goodMs &&
    known.written < most * measureFrom &&
    known.bytes + known.written < most
  const size = isGood ? known : await measureSpace(ctx, spaceId)

  if (size.bytes + size.written >= most)
    throw new Fault(
      'storage_full',
      `The space has reached its limit of ${megabytes(most)} MB. Ask the operator of the server to raise it (STEMMA_MAX_REPOSITORY_MB).`,
      undefined,
      { label: 'space_bytes' },
    )

  const space = rememberedSpace(ctx.store, spaceId)
  if (space) checkOrganizationRoom(ctx, space.organization_id)
}

/** Measures the repository of a space and stores the size for its organization's sum. */
export async function measureSpace(ctx: Context, spaceId: string): Promise<KnownSize> {
  const repo = spaceRepository(ctx, spaceId)
  const size = { bytes: await repositoryBytes(repo), measuredAt: performance.now(), written: 0 }
  repo.processes.sizes.set(repo.dir, size)
  note(() => putSpaceSize(ctx.store, spaceId, size.bytes, ctx.now().toISOString()))
  return size
}

/** Measures a space whose size is not stored, so that it counts in its organization's sum. */
export async function measureUnknown(ctx: Context, spaceId: string): Promise<void> {
  if (!hasSpaceSize(ctx.store, spaceId)) await measureSpace(ctx, spaceId)
}

const organizationSums = stateSlot(() => new Map<string, { bytes: number; until: number }>())

/**
 * Returns the bytes of all spaces of an organization: as this machine has measured them, or those of their
 * packs in the database that nodes share.
 */
const sumBytes = (ctx: Context, organizationId: string): number =>
  isCache(ctx) ? sumPacks(ctx.store, organizationId) : sumSpaceSizes(ctx.store, organizationId)

/** Checks that all spaces of an organization together are below their limit. Throws 'too_large'. */
export function checkOrganizationRoom(ctx: Context, organizationId: string): void {
  const most = ctx.config.maxOrganizationBytes
  if (most === 0) return
  const sums = ctx.caches.get(organizationSums)
  let sum = sums.get(organizationId)

  if (!sum || sum.until < performance.now()) {
    const bytes = sumBytes(ctx, organizationId)
    const keptMs = isCache(ctx) ? Math.min(sumMs, (most - bytes) / addedPerMs) : sumMs
    sum = { bytes, until: performance.now() + keptMs }
    sums.set(organizationId, sum)
  }

  if (sum.bytes >= most)
    throw new Fault(
      'storage_full',
      `The spaces of the organization have reached their total limit of ${megabytes(most)} MB. Delete spaces permanently, or ask the operator of the server to raise it (STEMMA_MAX_ORGANIZATION_MB).`,
      undefined,
      { label: 'organization_bytes' },
    )
}

/** Checks that a user may create another space today. Throws 'too_many'. */
export function checkNewSpace(ctx: Context, organizationId: string, userId: string): void {
  checkOrganizationRoom(ctx, organizationId)
  checkDaily(ctx, {
    most: ctx.config.maxSpacesPerDay,
    count: 1,
    what: 'new spaces',
    instead: 'Try again',
    label: 'spaces',
    timeOf: (since, nth) => findCreation(ctx.store, 'space', userId, since, nth),
  })
}

/** A limit of what a user creates within 24 hours. */
type DailyLimit = {
  /** 0: no limit. */
  most: number
  count: number
  what: string
  instead: string
  /** The label of the metric. */
  label: string
  /** Returns when the `nth` newest one since a time was created. */
  timeOf: (since: string, nth: number) => string | undefined
}

/** Throws 'too_many' unless `count` more fit into the limit of 24 hours. */
export function checkDaily(
  ctx: Context,
  { most, count, what, instead, label, timeOf }: DailyLimit,
): void {
  if (most === 0) return
  const now = ctx.now().getTime()
  const room = most - count

  // More than a whole day's at once: the others of the same operation count from now.
  const inTheWay =
    room < 0 ? new Date(now).toISOString() : timeOf(new Date(now - day).toISOString(), room + 1)
  if (inTheWay === undefined) return

  const again = Date.parse(inTheWay) + day

  throw new Fault(
    'daily_limit',
    `You have reached the limit of ${most} ${what} within 24 hours. ${instead} after ${toMinute(again)}.`,
    undefined,
    { label, retryAfter: Math.max(1, Math.ceil((again - now) / 1000)) },
  )
}

/** Returns a time, rounded up to the minute, as "2026-01-31 12:05 UTC". */
const toMinute = (ms: number): string =>
  `${new Date(Math.ceil(ms / 60_000) * 60_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const megabytes = (bytes: number): number => Math.floor(bytes / 1024 ** 2)
