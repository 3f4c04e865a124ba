import { existsSync, statSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../errors.ts'
import { syncFolders } from '../../git/disk/durable.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { GitProcesses } from '../../git/process/processes.ts'
import { listRefs, moveRefs, type RefMove } from '../../git/refs/refs.ts'
import { restoreBundle } from '../../git/repositories/bundle.ts'
import { mayHoldSecrets } from '../../lib/keys.ts'
import type { Oid } from '../../lib/oid.ts'
import { foreignParts } from '../../store/git/foreign-parts.ts'
import { listMirroredRefs } from '../../store/git/refs.ts'
import { listAllOrganizations } from '../../store/people/organizations.ts'
import { deleteSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import { Store } from '../../store/store.ts'
import { placeParts } from '../repositories/place-parts.ts'
import {
  changeRequestNumberOf,
  identityRef,
  keepRef,
  publishedRef,
} from '../repositories/ref-names.ts'
import { spaceFolder } from '../repositories/space-repository.ts'
import { noBranch, specsFolder } from '../repositories/specs-repository.ts'
import { specBranches } from '../specs/list-specs.ts'
import { bundleName, databaseName, keyName, readArchive, specsBundleName } from './archive.ts'
import type { Manifest } from './manifest.ts'

/** The folder in which everything is prepared before it is moved into place. */
export const restoringFolder = 'restoring'

export type RestoreOptions = {
  /** The passphrase of an encrypted backup. */
  passphrase?: string | undefined
  /** Called with each space before its repository is created. */
  onSpace?: (space: Manifest['spaces'][number], at: number, of: number) => void
}

/**
 * Fills an empty data folder from a backup; the caller holds the folder's lock. Everything is
 * unpacked, checked and built in a staging folder and then moved into place, the database last. If
 * it throws, the folder is empty again; if it is killed, a second call starts over or reports that
 * the folder is not empty. Intents in the journal are left to `recover`. Throws Fault 'invalid' for
 * a backup that is damaged, was tampered with, or needs another passphrase.
 */
export async function restore(
  file: string,
  dataDir: string,
  { passphrase, onSpace = () => {} }: RestoreOptions = {},
): Promise<Manifest> {
  const staging = join(dataDir, restoringFolder)
  const [unpacked, made] = [join(staging, 'unpacked'), join(staging, 'made')]
  const processes = new GitProcesses()
  const placed: string[] = []

  try {
    await rm(staging, { recursive: true, force: true })
    const manifest = await readArchive(file, unpacked, { passphrase })
    await mkdir(made, { mode: 0o700 })
    const store = new Store(join(unpacked, databaseName), { alone: true })

    try {
      checkDatabase(file, store, manifest, unpacked)
      await makeRepositories({ store, manifest, unpacked, made, processes, onSpace })
      store.checkpoint()
    } finally {
      store.close()
    }

    for (const name of [keyName, databaseName]) await rename(join(unpacked, name), join(made, name))
    await placeParts(made, dataDir, ['spaces', 'specs', keyName, databaseName], name =>
      placed.push(name),
    )
    await rm(staging, { recursive: true, force: true })

    return manifest
  } catch (error) {
    for (const name of [restoringFolder, ...placed])
      await rm(join(dataDir, name), { recursive: true, force: true })
    throw error
  } finally {
    processes.close()
  }
}

type Making = {
  store: Store
  manifest: Manifest
  unpacked: string
  made: string
  processes: GitProcesses
  onSpace: NonNullable<RestoreOptions['onSpace']>
}

async function makeRepositories({ store, manifest, unpacked, made, processes, onSpace }: Making) {
  for (const [at, space] of manifest.spaces.entries()) {
    onSpace(space, at, manifest.spaces.length)
    const bundle = join(unpacked, bundleName(space.id))
    const { defaultBranch } = space
    const repo = await restoreBundle(processes, bundle, spaceFolder(made, space.id), {
      defaultBranch,
    })
    const isOurs = (ref: string) =>
      [defaultBranch, identityRef, publishedRef].includes(ref) ||
      changeRequestNumberOf(ref) !== undefined

    await setRefs(repo, listMirroredRefs(store, space.id), isOurs)
    processes.closeRepository(repo.dir)
    await rm(bundle)
  }

  for (const { organization } of manifest.descriptions ?? []) {
    const bundle = join(unpacked, specsBundleName(organization))
    const into = specsFolder(made, organization)
    const repo = await restoreBundle(processes, bundle, into, { defaultBranch: noBranch })
    await setRefs(repo, specBranches(store, organization), ref => ref.startsWith('refs/heads/'))
    processes.closeRepository(repo.dir)
    await rm(bundle)
  }

  const shelves = ['spaces', 'specs'].map(name => join(made, name)).filter(existsSync)
  await syncFolders(shelves)
}

/** Ids become parts of paths, which must stay inside the data folder. */
const safeId = /^[\w-]{1,64}$/

/**
 * Throws if the database is damaged or has tables, triggers or other parts that no version of this
 * program created.
 */
function checkDatabase(file: string, store: Store, manifest: Manifest, unpacked: string): void {
  const refuse = (why: string) =>
    new Fault('invalid_input', `The database in ${file} is damaged: ${why}. Take another backup.`)
  if (!mayHoldSecrets(statSync(join(unpacked, keyName)).size))
    throw new Fault(
      'invalid_input',
      `The key in ${file} is damaged: it must have 32 bytes. Take another backup.`,
    )

  const [problem] = store.problems()
  if (problem) throw refuse(problem)

  const [foreign] = foreignParts(store, join(unpacked, 'empty.db'))
  if (foreign) throw refuse(`it holds the ${foreign}, which does not belong to Stemma`)

  const spaces = listAllSpaces(store)

  for (const { id } of [...spaces, ...listAllOrganizations(store)])
    if (!safeId.test(id)) throw refuse(`${JSON.stringify(id)} is not a valid id`)

  // Spaces that were purged between the copy of the database and that of the repositories.
  const copied = new Set(manifest.spaces.map(space => space.id))

  for (const space of spaces) if (!copied.has(space.id)) deleteSpace(store, space.id)
}

/**
 * Sets the refs to their values in the database. Newer commits, written during the backup, are kept
 * by refs of their own. Refs that are unknown to the database and not ours stay.
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

  // Keep first, then move: no commit is unreachable in between.
  await moveRefs(repo, keeps)
  await moveRefs(repo, moves)
}
