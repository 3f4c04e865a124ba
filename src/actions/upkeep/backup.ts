import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { commitsBeyond } from '../../git/refs/unreachable.ts'
import { writeBundle } from '../../git/repositories/bundle.ts'
import { checkRepositoryConfig } from '../../git/repositories/repository.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { listNamedCommits, listNamedVersions } from '../../store/git/named-commits.ts'
import { listMirroredRefs } from '../../store/git/refs.ts'
import { schemaVersion, takeInventory } from '../../store/spaces/inventory.ts'
import { findSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import { Store } from '../../store/store.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { putKey, refuseRotation } from '../moving/put-key.ts'
import { type Snapshot, withSnapshot } from '../moving/snapshot.ts'
import { headsBelow, primaryRef } from '../repositories/head-of.ts'
import { keepRef } from '../repositories/ref-names.ts'
import { repositoryOf, specsKey } from '../repositories/repository-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { specsRepository } from '../repositories/specs-repository.ts'
import { organizationsOf } from '../specs/list-specs.ts'
import {
  type AddFile,
  bundleName,
  databaseName,
  keyName,
  specsBundleName,
  writeArchive,
} from './archive.ts'
import type { ArchivedFile, Manifest } from './manifest.ts'

export type BackupOptions = {
  /** The version of the program, for the manifest. */
  program: string
  /** Encrypts the file, and authenticates it. */
  passphrase?: string | undefined
  /** Called with each space before it is copied. */
  onSpace?: (space: SpaceRow, at: number, of: number) => void
}

/**
 * Writes a consistent copy of a data folder into one new file; a server may be running. The
 * database is copied as of one moment, then every repository, which may be newer but has everything
 * that the database refers to. Rows and repositories in PostgreSQL are copied as of one moment. Throws
 * Fault if the file exists or a space cannot be copied; no file
 * is left behind.
 */
export async function backup(ctx: Context, to: string, options: BackupOptions): Promise<Manifest> {
  const file = resolve(to)
  if (existsSync(file))
    throw new Fault(
      'file_exists',
      `${file} exists, and a backup never overwrites a file. Use another name.`,
    )

  if (!existsSync(dirname(file)))
    throw new Fault('invalid_input', `There is no folder ${dirname(file)}. Create it first.`)

  refuseRotation(ctx.config.dataDir)

  // Next to the archive, where there has to be enough disk space anyway.
  const folder = await mkdtemp(join(dirname(file), `.${basename(file)}-`))

  try {
    if (ctx.store.isShared)
      return await withSnapshot(ctx, async ({ ctx: { store, ...rest }, withRepository }) => {
        const key = join(folder, keyName)
        await putKey(ctx.config, key)
        const copied = { ctx: { ...rest, store }, store, folder, key, withRepository }
        return writeArchive(file, add => addAll(copied, add, options), options)
      })

    const store = await copyDatabase(ctx, join(folder, databaseName))
    try {
      const key = join(ctx.config.dataDir, keyName)
      const copied: Copied = { ctx, store, folder, key, withRepository: (_, work) => work() }
      return await writeArchive(file, add => addAll(copied, add, options), options)
    } finally {
      store.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function copyDatabase(ctx: Context, file: string): Promise<Store> {
  await ctx.store.backup(file)
  return new Store(file, { alone: true })
}

type Copied = {
  ctx: Context
  /** The copy of the database. The live one may be newer. */
  store: Store
  /** The folder for temporary files. */
  folder: string
  /** The file with the key. */
  key: string
  withRepository: Snapshot['withRepository']
}

/** Adds everything to an archive. */
async function addAll(copied: Copied, add: AddFile, options: BackupOptions): Promise<Manifest> {
  const { store, key, withRepository } = copied
  const files: ArchivedFile[] = [await add(databaseName, store.file), await add(keyName, key)]
  const spaces = listAllSpaces(store)
  const told: Manifest['spaces'] = []

  for (const [at, space] of spaces.entries()) {
    options.onSpace?.(space, at, spaces.length)
    const done = await withRepository(space.id, () => addSpace(copied, space, add))
    if (!done) continue
    told.push(done.space)
    files.push(done.file)
  }

  const descriptions: Manifest['descriptions'] = []

  for (const organization of organizationsOf(store)) {
    const done = await withRepository(specsKey(organization), () =>
      addSpecs(copied, organization, add),
    )
    descriptions.push(done.specs)
    files.push(done.file)
  }

  return {
    format: 1,
    program: options.program,
    createdAt: new Date().toISOString(),
    schema: schemaVersion(store),
    counts: takeInventory(store),
    spaces: told,
    descriptions,
    files,
  }
}

/**
 * Adds the bundle of a space. Returns undefined for a space that was purged since the database was
 * copied.
 */
async function addSpace(
  { ctx, store, folder }: Copied,
  space: SpaceRow,
  add: AddFile,
): Promise<{ space: Manifest['spaces'][number]; file: ArchivedFile } | undefined> {
  const repo = spaceRepository(ctx, space.id)
  try {
    await checkRepositoryConfig(repo)
    const branch = primaryRef(ctx, space.id)
    const named = listNamedCommits(store, space.id).map(({ oid }) => oid)
    const needed = [...listMirroredRefs(store, space.id).values(), ...named]
    const refs = await refsToCopy(ctx, space.id, needed)
    const file = await addBundle(repo, refs, bundleName(space.id), folder, add)
    const { id, title } = space
    return { space: { id, title, defaultBranch: branch, refs: Object.fromEntries(refs) }, file }
  } catch (error) {
    if (!isGitError(error) || error.code === 'no_space') throw error
    if (!findSpace(ctx.store, space.id)) return undefined
    throw new Fault(
      'content_damaged',
      `The space ${space.id} ("${space.title}") cannot be copied: ${error.message} Run "stemma verify" and repair it first; no backup was written.`,
    )
  }
}

/**
 * Adds the bundle of an organization's OpenAPI specs, with all versions in the copy of the
 * database.
 */
async function addSpecs(
  { ctx, store, folder }: Copied,
  organization: string,
  add: AddFile,
): Promise<{ specs: NonNullable<Manifest['descriptions']>[number]; file: ArchivedFile }> {
  const repo = specsRepository(ctx, organization)
  try {
    await checkRepositoryConfig(repo)
    // Specs may have been deleted since, with their branches.
    const refs = await refsToCopy(
      ctx,
      specsKey(organization),
      listNamedVersions(store, organization).map(({ oid }) => oid),
    )
    const file = await addBundle(repo, refs, specsBundleName(organization), folder, add)
    return { specs: { organization, refs: Object.fromEntries(refs) }, file }
  } catch (error) {
    if (!isGitError(error) || error.code === 'no_space') throw error
    throw new Fault(
      'content_damaged',
      `The OpenAPI specs of the organization ${organization} cannot be copied: ${error.message} Run "stemma verify" and repair them first; no backup was written.`,
    )
  }
}

/**
 * Returns the refs of a repository, and a ref for each of these objects that is a commit of the
 * repository and that none of them reaches. Refs move while they are listed: the branch of a change
 * request that is merged meanwhile may be gone from the list, and the merge not yet in it.
 */
async function refsToCopy(
  ctx: Context,
  key: string,
  needed: readonly Oid[],
): Promise<Map<string, Oid>> {
  const repo = repositoryOf(ctx, key)
  const refs = await headsBelow(ctx, key, 'refs/')
  const infos = await objectInfo(repo, [...new Set(needed)])
  const commits = needed.filter(oid => infos.get(oid)?.type === 'commit')
  for (const oid of await commitsBeyond(repo, commits, refs.values())) refs.set(keepRef(oid), oid)
  return refs
}

/** Adds a bundle of these refs of a repository. */
async function addBundle(
  repo: Repository,
  refs: ReadonlyMap<string, Oid>,
  name: string,
  folder: string,
  add: AddFile,
): Promise<ArchivedFile> {
  const bundle = join(folder, 'repository.bundle')
  try {
    await writeBundle(repo, refs, bundle)
    return await add(name, bundle)
  } finally {
    await rm(bundle, { force: true })
  }
}
