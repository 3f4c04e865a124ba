import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { checkRepositoryConfig } from '../../git/repositories/repository.ts'
import { needsRepack, repackRepository } from '../../git/repositories/upkeep.ts'
import { isGitError } from '../../git/values/errors.ts'
import { findSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { openSpace } from '../heads/open-space.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { specsRepository } from '../repositories/specs-repository.ts'
import { listSpecsOrganizations } from '../specs/list-specs.ts'
import { openSpecs } from '../specs/open-specs.ts'

/**
 * The result for the repository of a space, or of an organization's OpenAPI specs: its bytes before
 * and after, or the reason of a failure.
 */
export type Collected = { space?: string; organization?: string } & Packed
type Packed = { before: number; after: number; failure?: string }

export type CollectOptions = {
  /** Combines all packs of a repository into one. */
  full?: boolean
  /** Skips repositories with few packs and loose objects. */
  needed?: boolean
  /** Stops after the current repository. */
  signal?: AbortSignal
  /** Called with each space before its turn. */
  onSpace?: (space: SpaceRow, at: number, of: number) => void
}

/**
 * Packs the loose objects of every repository, or of those that need it, and checkpoints SQLite's
 * log. No object is deleted, reachable or not, so a server may run and write at the same time. Goes
 * on if a repository cannot be packed.
 */
export async function collectGarbage(
  ctx: Context,
  options: CollectOptions = {},
): Promise<Collected[]> {
  const done: Collected[] = []
  const spaces = listAllSpaces(ctx.store)
  for (const [at, space] of spaces.entries()) {
    options.onSpace?.(space, at, spaces.length)
    const packed = await collectSpace(ctx, space, options)
    if (packed && (!packed.failure || findSpace(ctx.store, space.id)))
      done.push({ space: space.id, ...packed })
  }

  for (const organization of listSpecsOrganizations(ctx)) {
    const packed = await pack(specsRepository(ctx, organization), options, () =>
      openSpecs(ctx, organization),
    )
    if (packed) done.push({ organization, ...packed })
  }

  ctx.store.checkpoint()

  return done
}

/**
 * Packs the repository of one space like `collectGarbage`; undefined if it does not need it, or the
 * signal has ended it.
 */
export const collectSpace = (
  ctx: Context,
  { id }: Pick<SpaceRow, 'id'>,
  options: CollectOptions = {},
): Promise<Packed | undefined> => pack(spaceRepository(ctx, id), options, () => openSpace(ctx, id))

/** `open` runs before the repository is packed. */
async function pack(
  repo: Repository,
  options: CollectOptions,
  open: () => Promise<unknown>,
): Promise<Packed | undefined> {
  const { full = false, needed = false, signal } = options
  if (signal?.aborted || (needed && !(await needsRepack(repo).catch(() => false)))) return undefined
  await open()
  const before = await sizeOf(repo.dir)

  try {
    await checkRepositoryConfig(repo)
    await repackRepository(repo, { full, ...(signal && { signal }) })
    return { before, after: await sizeOf(repo.dir) }
  } catch (error) {
    if (isGitError(error, 'aborted')) return undefined
    if (!isGitError(error)) throw error
    return { before, after: before, failure: error.message }
  }
}

/**
 * Returns the bytes of all files below a folder. Files that a running server removes meanwhile
 * count as 0.
 */
async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true, encoding: 'utf8' }).catch(() => [])
  const sizes = await Promise.all(
    names.map(name =>
      stat(join(folder, name)).then(
        info => (info.isFile() ? info.size : 0),
        () => 0,
      ),
    ),
  )

  return sizes.reduce((total, size) => total + size, 0)
}
