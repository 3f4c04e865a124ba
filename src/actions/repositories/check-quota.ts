import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { type KnownSize, repositoryBytes } from '../../git/disk/repository-size.ts'
import { note } from '../../store/note.ts'
import {
  hasSpaceSize,
  listCreationTimes,
  putSpaceSize,
  sumSpaceSizes,
} from '../../store/spaces/space-sizes.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import { spaceRepository } from './space-repository.ts'

const day = 86_400_000
/** How long a measured size is used, in milliseconds: pushes and upkeep change it without notice. */
const goodMs = 600_000
/** Once the bytes written since exceed this part of the limit, the repository is measured again. */
const measureFrom = 1 / 16
/** How long an organization's sum is cached, in milliseconds. */
const sumMs = 30_000

/**
 * Checks that a space may be written to: that its repository, and all of its organization's together, are below their
 * limits. Measures the repository now and then and adds what was written in between. Throws 'too_large'.
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
      'too_large',
      `The space has reached its limit of ${megabytes(most)} MB. Ask the operator of the server to raise it (STEMMA_MAX_REPOSITORY_MB).`,
      undefined,
      { reason: 'space_bytes' },
    )
  const space = findSpace(ctx.store, spaceId)
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

/** Checks that all spaces of an organization together are below their limit. Throws 'too_large'. */
export function checkOrganizationRoom(ctx: Context, organizationId: string): void {
  const most = ctx.config.maxOrganizationBytes
  if (most === 0) return
  const sums = ctx.caches.get(organizationSums)
  let sum = sums.get(organizationId)
  if (!sum || sum.until < performance.now()) {
    sum = { bytes: sumSpaceSizes(ctx.store, organizationId), until: performance.now() + sumMs }
    sums.set(organizationId, sum)
  }
  if (sum.bytes >= most)
    throw new Fault(
      'too_large',
      `The spaces of the organization have reached their total limit of ${megabytes(most)} MB. Delete spaces permanently, or ask the operator of the server to raise it (STEMMA_MAX_ORGANIZATION_MB).`,
      undefined,
      { reason: 'organization_bytes' },
    )
}

/** Checks that a user may create another space today. Throws 'too_many'. */
export function checkNewSpace(ctx: Context, organizationId: string, userId: string): void {
  checkOrganizationRoom(ctx, organizationId)
  const most = ctx.config.maxSpacesPerDay
  if (most === 0) return
  const now = ctx.now().getTime()
  const times = listCreationTimes(ctx.store, userId, new Date(now - day).toISOString(), most)
  const oldest = times[most - 1]
  if (oldest === undefined) return
  throw new Fault(
    'too_many',
    `You have reached the limit of ${most} new spaces within 24 hours. Try again later.`,
    undefined,
    { reason: 'spaces', retryAfter: Math.max(1, Math.ceil((Date.parse(oldest) + day - now) / 1000)) },
  )
}

const megabytes = (bytes: number): number => Math.floor(bytes / 1024 ** 2)
