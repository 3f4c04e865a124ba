import { basename, dirname } from 'node:path'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { spaceFolder } from './space-repository.ts'
import { specsFolder } from './specs-repository.ts'

const specs = 'specs:'

/** The key of the repository of an organization's specs. */
export type SpecsKey = `${typeof specs}${string}`

/**
 * Returns the key of the repository of an organization's specs. The key of a space's repository is
 * the id of the space. `headOf`, the locks and the journal name repositories by their keys.
 */
export const specsKey = (organizationId: string): SpecsKey => `${specs}${organizationId}`

/** Returns whether a key is that of the repository of an organization's specs. */
export const isSpecsKey = (key: string): key is SpecsKey => key.startsWith(specs)

/**
 * Returns whether the folders of repositories are caches: their refs are rows, and their objects are in
 * the database, which other nodes share.
 */
export const isCache = ({ store }: Context): boolean => store.isShared

/** Returns the organization whose specs have a repository with this key; undefined for a space. */
export const organizationOf = (key: string): string | undefined =>
  key.startsWith(specs) ? key.slice(specs.length) : undefined

/** Returns the folder of the repository with a key. */
export function repositoryFolder(
  { config: { dataDir } }: { config: Pick<Context['config'], 'dataDir'> },
  key: string,
): string {
  const organizationId = organizationOf(key)
  return organizationId === undefined
    ? spaceFolder(dataDir, key)
    : specsFolder(dataDir, organizationId)
}

/** Returns the key of the repository in a folder. */
export function keyOf(dir: string): string {
  const id = basename(dir, '.git')
  return basename(dirname(dir)) === 'specs' ? specsKey(id) : id
}

/** Returns the repository with a key. */
export const repositoryOf = (ctx: Context, key: string): Repository => ({
  dir: repositoryFolder(ctx, key),
  processes: ctx.processes,
})
