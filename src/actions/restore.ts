import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../errors.ts'
import { syncFolders } from '../git/durable.ts'
import { objectInfo } from '../git/objects.ts'
import type { Oid } from '../git/oid.ts'
import { GitProcesses } from '../git/processes.ts'
import { listRefs, moveRefs, type RefMove } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { restoreBundle } from '../git/upkeep.ts'
import { listMirroredRefs } from '../store/refs.ts'
import { deleteSpace, listAllSpaces } from '../store/spaces.ts'
import { Store } from '../store/store.ts'
import { bundleName, databaseName, keyName, type Manifest, readArchive, specsBundleName } from './archive.ts'
import { specBranches } from './list-specs.ts'
import { changeRequestNumberOf, identityRef, keepRef, publishedRef } from './ref-names.ts'
import { spaceFolder } from './space-repository.ts'
import { noBranch, specsFolder } from './specs-repository.ts'

/**
 * Fills an empty data folder, whose lock the caller holds, from a backup: first all is unpacked and checked, then the
 * repositories are made, and the database comes last. When it throws, the folder is as empty as before. What the journal
 * still holds is left to `recover`. `onSpace` hears of each space before it is made.
 */
export async function restore(
  file: string,
  dataDir: string,
  onSpace: (space: Manifest['spaces'][number], at: number, of: number) => void = () => {},
): Promise<Manifest> {
  const unpacked = join(dataDir, 'restoring')
  const processes = new GitProcesses()
  try {
    const manifest = await readArchive(file, unpacked)
    const store = new Store(join(unpacked, databaseName))
    try {
      checkDatabase(file, store, manifest)
      for (const [at, space] of manifest.spaces.entries()) {
        onSpace(space, at, manifest.spaces.length)
        const bundle = join(unpacked, bundleName(space.id))
        const { defaultBranch } = space
        const repo = await restoreBundle(processes, bundle, spaceFolder(dataDir, space.id), { defaultBranch })
        const isOurs = (ref: string) =>
          [defaultBranch, identityRef, publishedRef].includes(ref) || changeRequestNumberOf(ref) !== undefined
        await setRefs(repo, listMirroredRefs(store, space.id) as Map<string, Oid>, isOurs)
        processes.closeRepository(repo.dir)
        await rm(bundle)
      }
      for (const { organization } of manifest.descriptions ?? []) {
        const bundle = join(unpacked, specsBundleName(organization))
        const into = specsFolder(dataDir, organization)
        const repo = await restoreBundle(processes, bundle, into, { defaultBranch: noBranch })
        await setRefs(repo, specBranches(store, organization), ref => ref.startsWith('refs/heads/'))
        processes.closeRepository(repo.dir)
        await rm(bundle)
      }
      store.checkpoint()
    } finally {
      store.close()
    }
    for (const name of [keyName, databaseName]) await rename(join(unpacked, name), join(dataDir, name))
    await rm(unpacked, { recursive: true, force: true })
    const shelves = ['spaces', 'specs'].map(name => join(dataDir, name)).filter(existsSync)
    await syncFolders([...shelves, dataDir])
    return manifest
  } catch (error) {
    for (const name of ['restoring', 'spaces', 'specs', keyName, databaseName])
      await rm(join(dataDir, name), { recursive: true, force: true })
    throw error
  } finally {
    processes.close()
  }
}

/** Throws when the database is not sound. */
function checkDatabase(file: string, store: Store, manifest: Manifest): void {
  const [problem] = store.problems()
  if (problem)
    throw new Fault('invalid', `The database in ${file} is damaged: ${problem}. Take another backup.`)
  // Spaces that were removed for good between the copy of the database and that of the repositories.
  const copied = new Set(manifest.spaces.map(space => space.id))
  for (const space of listAllSpaces(store)) if (!copied.has(space.id)) deleteSpace(store, space.id)
}

/**
 * Puts the refs back to what the database says of them: what the repository had beyond that, because somebody wrote while
 * the backup was made, is kept by refs of its own. Refs that the database does not know and that are not ours stay.
 */
async function setRefs(
  repo: Repository,
  mirror: ReadonlyMap<string, Oid>,
  isOurs: (ref: string) => boolean,
): Promise<void> {
  const held = await listRefs(repo, 'refs/')
  const there = await objectInfo(repo, [...new Set(mirror.values())])
  const moves: RefMove[] = []
  for (const [ref, to] of mirror)
    if (there.has(to) && held.get(ref) !== to) moves.push({ ref, from: held.get(ref) ?? null, to })
  for (const [ref, from] of held) {
    if (isOurs(ref) && !mirror.has(ref)) moves.push({ ref, from, to: null })
  }
  const left = new Set(moves.map(({ from }) => from).filter(from => from !== null))
  const keeps = [...left]
    .filter(oid => !held.has(keepRef(oid)) && !mirror.has(keepRef(oid)))
    .map(oid => ({ ref: keepRef(oid), from: null, to: oid }))
  // First what keeps, then what leaves.
  await moveRefs(repo, keeps)
  await moveRefs(repo, moves)
}
