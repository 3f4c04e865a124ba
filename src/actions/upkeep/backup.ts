import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import { readBundleRefs } from '../../git/refs/bundle-refs.ts'
import { checkRepositoryConfig } from '../../git/repositories/repository.ts'
import { bundleRepository } from '../../git/repositories/upkeep.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { listNamedVersions } from '../../store/git/named-commits.ts'
import { schemaVersion, takeInventory } from '../../store/spaces/inventory.ts'
import { findSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import { Store } from '../../store/store.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { primaryRef } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { specsRepository } from '../repositories/specs-repository.ts'
import { organizationsOf } from '../specs/list-specs.ts'
import { type AddFile, bundleName, databaseName, keyName, specsBundleName, writeArchive } from './archive.ts'
import type { ArchivedFile, Manifest } from './manifest.ts'
import { keepCommits, keepNamedCommits } from './pin-commits.ts'

export type BackupOptions = {
  /** The version of the program, for the manifest. */
  program: string
  /** Encrypts the file, and authenticates it. */
  passphrase?: string | undefined
  /** Called with each space before it is copied. */
  onSpace?: (space: SpaceRow, at: number, of: number) => void
}

/**
 * Writes a consistent copy of a data folder into one new file; a server may be running. The database is copied as of one
 * moment, then every repository, which may be newer but has everything that the database refers to. Throws Fault if the
 * file exists or a space cannot be copied; no file is left behind.
 */
export async function backup(ctx: Context, to: string, options: BackupOptions): Promise<Manifest> {
  const file = resolve(to)
  if (existsSync(file))
    throw new Fault('conflict', `${file} exists, and a backup never overwrites a file. Use another name.`)
  if (!existsSync(dirname(file)))
    throw new Fault('invalid', `There is no folder ${dirname(file)}. Create it first.`)
  // Next to the archive, where there has to be enough disk space anyway.
  const folder = await mkdtemp(join(dirname(file), `.${basename(file)}-`))
  try {
    const copy = join(folder, databaseName)
    await ctx.store.backup(copy)
    const { spaces, specs, ...facts } = readCopy(copy)
    const fill = async (add: AddFile): Promise<Manifest> => {
      const files: ArchivedFile[] = [await add(databaseName, copy)]
      files.push(await add(keyName, join(ctx.config.dataDir, 'key')))
      await rm(copy)
      const told: Manifest['spaces'] = []
      for (const [at, space] of spaces.entries()) {
        options.onSpace?.(space, at, spaces.length)
        const done = await addSpace(ctx, space, folder, add)
        if (!done) continue
        told.push(done.space)
        files.push(done.file)
      }
      const descriptions: Manifest['descriptions'] = []
      for (const [organization, versions] of specs) {
        const done = await addSpecs(ctx, organization, versions, folder, add)
        descriptions.push(done.specs)
        files.push(done.file)
      }
      const createdAt = new Date().toISOString()
      return { format: 1, program: options.program, createdAt, ...facts, spaces: told, descriptions, files }
    }
    return await writeArchive(file, fill, options)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the facts of the database for the manifest, read from the copy and not from the live database. */
function readCopy(file: string) {
  const store = new Store(file, { alone: true })
  try {
    const specs = organizationsOf(store).map(id => [id, listNamedVersions(store, id)] as const)
    return { schema: schemaVersion(store), counts: takeInventory(store), spaces: listAllSpaces(store), specs }
  } finally {
    store.close()
  }
}

/** Adds the bundle of a space. Returns undefined for a space that was purged since the database was copied. */
async function addSpace(
  ctx: Context,
  space: SpaceRow,
  folder: string,
  add: AddFile,
): Promise<{ space: Manifest['spaces'][number]; file: ArchivedFile } | undefined> {
  const repo = spaceRepository(ctx, space.id)
  try {
    await checkRepositoryConfig(repo)
    await keepNamedCommits(ctx, repo, space.id)
    const branch = primaryRef(ctx, space.id)
    const { refs, file } = await addBundle(repo, bundleName(space.id), folder, add)
    return { space: { id: space.id, title: space.title, defaultBranch: branch, refs }, file }
  } catch (error) {
    if (!isGitError(error) || error.code === 'no_space') throw error
    if (!findSpace(ctx.store, space.id)) return undefined
    throw new Fault(
      'unavailable',
      `The space ${space.id} ("${space.title}") cannot be copied: ${error.message} Run "stemma verify" and repair it first; no backup was written.`,
    )
  }
}

/** Adds the bundle of an organization's OpenAPI specs, with all versions in the copy of the database. */
async function addSpecs(
  ctx: Context,
  organization: string,
  versions: readonly { oid: string }[],
  folder: string,
  add: AddFile,
): Promise<{ specs: NonNullable<Manifest['descriptions']>[number]; file: ArchivedFile }> {
  const repo = specsRepository(ctx, organization)
  try {
    await checkRepositoryConfig(repo)
    // Specs may have been deleted since, with their branches.
    await keepCommits(
      repo,
      versions.map(({ oid }) => oid as Oid),
    )
    const { refs, file } = await addBundle(repo, specsBundleName(organization), folder, add)
    return { specs: { organization, refs }, file }
  } catch (error) {
    if (!isGitError(error) || error.code === 'no_space') throw error
    throw new Fault(
      'unavailable',
      `The OpenAPI specs of the organization ${organization} cannot be copied: ${error.message} Run "stemma verify" and repair them first; no backup was written.`,
    )
  }
}

/** Adds a bundle of all refs of a repository. */
async function addBundle(repo: Repository, name: string, folder: string, add: AddFile) {
  const bundle = join(folder, 'repository.bundle')
  try {
    await bundleRepository(repo, bundle)
    const refs = Object.fromEntries(await readBundleRefs(bundle))
    return { refs, file: await add(name, bundle) }
  } finally {
    await rm(bundle, { force: true })
  }
}
