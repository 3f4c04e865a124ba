import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { isGitError } from '../git/errors.ts'
import { checkRepositoryConfig } from '../git/repository.ts'
import { repackRepository } from '../git/upkeep.ts'
import type { SpaceRow } from '../store/rows.ts'
import { findSpace, listAllSpaces } from '../store/spaces.ts'
import { spaceRepository } from './space-repository.ts'

/** What upkeep did for a space: the bytes of its repository before and after, or why it could not be done. */
export type Collected = { space: string; before: number; after: number; failure?: string }

export type CollectOptions = {
  /** Puts all packs of a repository into one. */
  full?: boolean
  /** Hears of each space before its turn. */
  onSpace?: (space: SpaceRow, at: number, of: number) => void
}

/**
 * Packs what is loose in every repository, and writes SQLite's log back. Nothing is thrown away, reachable or not, so a
 * server may run and write meanwhile. A repository that cannot be packed does not keep the others from it.
 */
export async function collectGarbage(
  ctx: Context,
  { full = false, onSpace }: CollectOptions = {},
): Promise<Collected[]> {
  const done: Collected[] = []
  const spaces = listAllSpaces(ctx.store)
  for (const [at, space] of spaces.entries()) {
    onSpace?.(space, at, spaces.length)
    const repo = spaceRepository(ctx, space.id)
    const before = await sizeOf(repo.dir)
    try {
      await checkRepositoryConfig(repo)
      await repackRepository(repo, { full })
      done.push({ space: space.id, before, after: await sizeOf(repo.dir) })
    } catch (error) {
      if (!isGitError(error)) throw error
      if (findSpace(ctx.store, space.id))
        done.push({ space: space.id, before, after: before, failure: error.message })
    }
  }
  ctx.store.checkpoint()
  return done
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
