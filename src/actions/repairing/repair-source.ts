import { existsSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import { readBundleRefs } from '../../git/refs/bundle-refs.ts'
import { restoreBundle } from '../../git/repositories/bundle.ts'
import { isGitError } from '../../git/values/errors.ts'
import { bundleName, readArchive, specsBundleName } from '../upkeep/archive.ts'
import type { Manifest } from '../upkeep/manifest.ts'

const anyBranch = 'refs/heads/main'

/**
 * The parts of a backup that belong to a repository: its bundle, and its primary branch if the
 * backup has it.
 */
export type Archived = {
  bundle: string
  what: string
  branchIn: (manifest: Manifest) => string | undefined
}

/** Returns the parts of a backup that belong to a space. */
export const archivedSpace = (id: string): Archived => ({
  bundle: bundleName(id),
  what: `the space ${id}`,
  branchIn: ({ spaces }) => spaces.find(space => space.id === id)?.defaultBranch,
})

/** Returns the parts of a backup that belong to the OpenAPI specs of an organization. */
export const archivedSpecs = (id: string): Archived => ({
  bundle: specsBundleName(id),
  what: `OpenAPI specs of ${id}`,
  branchIn: ({ descriptions = [] }) =>
    descriptions.some(({ organization }) => organization === id) ? anyBranch : undefined,
})

/**
 * Opens a backup, a bundle or a clone (a folder) as a repository below the folder `work`, with its
 * objects checked. Throws Fault if it cannot be read or does not have the repository.
 */
export async function openSource(
  ctx: Context,
  archived: Archived,
  from: string,
  work: string,
): Promise<Repository> {
  const path = resolve(from)
  if (!existsSync(path)) throw new Fault('invalid_input', `There is no ${path}.`)
  const { file, branch } = await locate(path, archived, work, ctx.config.backupPassphrase)

  try {
    return await restoreBundle(ctx.processes, file, join(work, 'source.git'), {
      defaultBranch: branch,
    })
  } catch (error) {
    if (!isGitError(error, 'bad_objects')) throw error
    throw new Fault(
      'invalid_input',
      `${path} cannot be read as a backup, a bundle or a clone, or is damaged itself.`,
    )
  } finally {
    if (file !== path) await rm(file, { force: true })
  }
}

/** Returns a path that git can fetch from, and the primary branch. */
async function locate(
  path: string,
  { bundle, what, branchIn }: Archived,
  work: string,
  passphrase: string | undefined,
): Promise<{ file: string; branch: string }> {
  const isBundle = () =>
    readBundleRefs(path).then(
      () => true,
      () => false,
    )
  if (statSync(path).isDirectory() || (await isBundle())) return { file: path, branch: anyBranch }
  const unpacked = join(work, 'archive')
  const manifest = await readArchive(path, unpacked, {
    passphrase,
    isWanted: name => name === bundle,
  })
  const branch = branchIn(manifest)
  if (branch === undefined)
    throw new Fault(
      'invalid_input',
      `The backup ${path} of ${manifest.createdAt} does not have ${what}.`,
    )

  return { file: join(unpacked, bundle), branch }
}
