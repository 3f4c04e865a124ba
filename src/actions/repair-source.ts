import { existsSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { readBundleRefs } from '../git/bundle-refs.ts'
import { isGitError } from '../git/errors.ts'
import type { Repository } from '../git/repository.ts'
import { restoreBundle } from '../git/upkeep.ts'
import { bundleName, readArchive } from './archive.ts'

const anyBranch = 'refs/heads/main'

/**
 * A repository below the folder `work` with everything that a backup has of a space, or a bundle, or a clone (a folder):
 * its objects are checked. Throws Fault when it cannot be read or has nothing of the space.
 */
export async function openSource(
  ctx: Context,
  spaceId: string,
  from: string,
  work: string,
): Promise<Repository> {
  const path = resolve(from)
  if (!existsSync(path)) throw new Fault('invalid', `There is no ${path}.`)
  const { file, branch } = await locate(path, spaceId, work)
  try {
    return await restoreBundle(ctx.processes, file, join(work, 'source.git'), { defaultBranch: branch })
  } catch (error) {
    if (!isGitError(error, 'bad_objects')) throw error
    throw new Fault(
      'invalid',
      `${path} cannot be read as a backup, a bundle or a clone, or is damaged itself.`,
    )
  } finally {
    if (file !== path) await rm(file, { force: true })
  }
}

/** What git can fetch from, and the primary branch if the backup says it. */
async function locate(
  path: string,
  spaceId: string,
  work: string,
): Promise<{ file: string; branch: string }> {
  const isBundle = () =>
    readBundleRefs(path).then(
      () => true,
      () => false,
    )
  if (statSync(path).isDirectory() || (await isBundle())) return { file: path, branch: anyBranch }
  const unpacked = join(work, 'archive')
  const manifest = await readArchive(path, unpacked, name => name === bundleName(spaceId))
  const space = manifest.spaces.find(({ id }) => id === spaceId)
  if (!space)
    throw new Fault(
      'invalid',
      `The backup ${path} of ${manifest.createdAt} does not have the space ${spaceId}.`,
    )
  return { file: join(unpacked, bundleName(spaceId)), branch: space.defaultBranch }
}
