import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { checkRepositoryConfig } from '../../git/repositories/repository.ts'
import { needsRepack, repackRepository } from '../../git/repositories/upkeep.ts'
import { isGitError } from '../../git/values/errors.ts'
import { findSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { specsRepository } from '../repositories/specs-repository.ts'
import { listSpecsOrganizations } from '../specs/list-specs.ts'

/**
 * What upkeep did for a space, or for the descriptions of an organization: the bytes of the repository before and after,
 * or why it could not be done.
 */
export type Collected = { space?: string; organization?: string } & Packed
type Packed = { before: number; after: number; failure?: string }

export type CollectOptions = {
  /** Puts all packs of a repository into one. */
  full?: boolean
  /** Leaves repositories alone that have few packs and loose objects. */
  needed?: boolean
  /** Ends it; what is not packed yet stays as it is. */
  signal?: AbortSignal
  /** Hears of each space before its turn. */
  onSpace?: (space: SpaceRow, at: number, of: number) => void
}

/**
 * Packs what is loose in every repository, or in those that need it, and writes SQLite's log back. Nothing is thrown away,
 * reachable or not, so a server may run and write meanwhile. A repository that cannot be packed does not keep the others
 * from it.
 */
export async function collectGarbage(ctx: Context, options: CollectOptions = {}): Promise<Collected[]> {
  const done: Collected[] = []
  const spaces = listAllSpaces(ctx.store)
  for (const [at, space] of spaces.entries()) {
    options.onSpace?.(space, at, spaces.length)
    const packed = await pack(spaceRepository(ctx, space.id), options)
    if (packed && (!packed.failure || findSpace(ctx.store, space.id)))
      done.push({ space: space.id, ...packed })
  }
  for (const organization of listSpecsOrganizations(ctx)) {
    const packed = await pack(specsRepository(ctx, organization), options)
    if (packed) done.push({ organization, ...packed })
  }
  ctx.store.checkpoint()
  return done
}

async function pack(repo: Repository, options: CollectOptions): Promise<Packed | undefined> {
  const { full = false, needed = false, signal } = options
  if (signal?.aborted || (needed && !(await needsRepack(repo).catch(() => false)))) return undefined
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

/** The bytes of all files below a folder; a server may take some away meanwhile. */
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
