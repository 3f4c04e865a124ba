import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { type KnownSize, repositoryBytes } from '../../git/disk/repository-size.ts'
import { listCreationTimes, putSpaceSize, sumSpaceSizes } from '../../store/spaces/space-sizes.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { Store } from '../../store/store.ts'
import { spaceRepository } from './space-repository.ts'

const day = 86_400_000
/** How long a measured size is good, in milliseconds: pushes and upkeep change it behind our back. */
const goodMs = 600_000
/** From this part of the limit on, what was written since is measured rather than estimated. */
const measureFrom = 1 / 16
/** How long the sum over an organization is good, in milliseconds. */
const sumMs = 30_000

/**
 * Checks that something may be written to a space: that its repository, and those of its organization together, are
 * below their limits. Measures the repository only now and then; in between, what was written is added. Throws 'too_large'.
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
      `The space has reached its limit of ${megabytes(most)} MB, and nothing more can be written to it. Ask the operator of the server for more (STEMMA_MAX_REPOSITORY_MB).`,
      undefined,
      { reason: 'space_bytes' },
    )
  const space = findSpace(ctx.store, spaceId)
  if (space) checkOrganizationRoom(ctx, space.organization_id)
}

/** Measures the repository of a space, for the next checks and for the sum over its organization. */
export async function measureSpace(ctx: Context, spaceId: string): Promise<KnownSize> {
  const repo = spaceRepository(ctx, spaceId)
  const size = { bytes: await repositoryBytes(repo), measuredAt: performance.now(), written: 0 }
  repo.processes.sizes.set(repo.dir, size)
  putSpaceSize(ctx.store, spaceId, size.bytes, ctx.now().toISOString())
  return size
}

const sums = new WeakMap<Store, Map<string, { bytes: number; until: number }>>()

/** Checks that all spaces of an organization together are below their limit. Throws 'too_large'. */
export function checkOrganizationRoom({ store, config }: Context, organizationId: string): void {
  const most = config.maxOrganizationBytes
  if (most === 0) return
  const kept = sums.get(store) ?? new Map()
  sums.set(store, kept)
  let sum = kept.get(organizationId)
  if (!sum || sum.until < performance.now()) {
    sum = { bytes: sumSpaceSizes(store, organizationId), until: performance.now() + sumMs }
    kept.set(organizationId, sum)
  }
  if (sum.bytes >= most)
    throw new Fault(
      'too_large',
      `The spaces of the organization have reached their limit of ${megabytes(most)} MB together. Delete spaces for good, or ask the operator of the server for more (STEMMA_MAX_ORGANIZATION_MB).`,
      undefined,
      { reason: 'organization_bytes' },
    )
}

/** Checks that a user may create one more space today. Throws 'too_many'. */
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
    `You have created ${most} spaces within 24 hours, which is the limit. Try again later.`,
    undefined,
    { reason: 'spaces', retryAfter: Math.max(1, Math.ceil((Date.parse(oldest) + day - now) / 1000)) },
  )
}

const megabytes = (bytes: number): number => Math.floor(bytes / 1024 ** 2)
