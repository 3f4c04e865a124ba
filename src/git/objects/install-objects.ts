import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { emptyTree } from '../../lib/oid.ts'
import { syncFile, syncFolders } from '../disk/durable.ts'
import { listPacks } from '../disk/list-packs.ts'
import type { Repository } from '../process/processes.ts'
import { fileError } from '../values/errors.ts'
import { looseFile, stageLoose, writeLoose } from './loose.ts'
import { infoInFolder, type NewObject, objectInfo, unreadable } from './objects.ts'
import { writePacks } from './pack.ts'

/**
 * From this many objects on, a change is written as one pack: three fsyncs, where each loose file
 * takes up to two.
 */
const manyObjects = 24
/**
 * With this many packs, Git finds objects slowly; further changes are loose until upkeep combines
 * the packs.
 */
const mostPacks = 50
/**
 * Folders whose own names are known to be on the disk, with their identity: one that another
 * process created, or recreated after a gc removed it, can be lost in a power cut.
 */
const safe = new BoundedCache<string, string>(20_000)

/** Objects on their way into a repository. */
export type StagedObjects = {
  /** Makes them objects of the repository. Call it once. Throws like `installObjects`. */
  install: () => Promise<void>
  /** Removes what was written and not installed. */
  discard: () => void
}

/**
 * Writes objects into the repository so that they survive a power cut: a few as loose files, many
 * as a pack. Objects that already exist are not rewritten, but their names are synced: their writer
 * may have died before doing so. Each new object is read back once. With `maySyncLater`, a few may
 * survive only after `syncObjects`. Throws GitError 'no_space' (no partial object remains) or
 * 'object_unreadable'.
 */
export async function installObjects(
  repo: Repository,
  objects: readonly NewObject[],
  { maySyncLater = false } = {},
): Promise<void> {
  const later = maySyncLater && objects.length < manyObjects ? unsyncedOf(repo) : undefined
  if (later) await installUnsynced(repo, objects, later)
  else await (await prepare(repo, objects, false)).install()
}

/**
 * Writes a few objects as loose files, and notes them as files that are synced later. The database has
 * these objects too, so none is read back. Those that exist are written again: a power cut may have
 * emptied a file that was not synced.
 */
async function installUnsynced(
  { dir }: Repository,
  objects: readonly NewObject[],
  later: Set<string>,
): Promise<void> {
  const folder = join(dir, 'objects')
  await writing(() => writeLoose(folder, objects, { isSynced: false }))
  for (const { oid } of objects) later.add(looseFile(folder, oid))
  crashPoint('W1')
}

/** Makes the objects survive a power cut that `installObjects` has written without waiting for it. */
export async function syncObjects({ dir, processes }: Repository): Promise<void> {
  const files = processes.unsynced?.get(dir)
  if (!files) return
  processes.unsynced?.delete(dir)
  await Promise.all([...files].map(file => syncFile(file).catch(ignoreMissing)))
  await syncNames(join(dir, 'objects'), new Set([...files].map(file => dirname(file))))
}

/** A file is gone whose object is in a pack now, which is on the disk. */
function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

/**
 * Writes a few small objects under temporary names, so that installing them takes little time. A
 * larger number is written by `install`. Throws GitError 'no_space'.
 */
export const stageObjects = (
  repo: Repository,
  objects: readonly NewObject[],
): Promise<StagedObjects> => prepare(repo, objects, true)

async function prepare(
  repo: Repository,
  objects: readonly NewObject[],
  isEarly: boolean,
): Promise<StagedObjects> {
  if (objects.length === 0) return { install: async () => {}, discard: () => {} }
  const there = await infoInFolder(
    repo,
    objects.map(object => object.oid),
  )
  const missing = objects.filter(({ oid }) => oid === emptyTree || !there.has(oid))
  const folder = join(repo.dir, 'objects')
  const packs = join(folder, 'pack')
  const changed = new Set<string>()

  for (const { oid } of objects) {
    if (existsSync(looseFile(folder, oid))) changed.add(dirname(looseFile(folder, oid)))
    else if (there.has(oid) && oid !== emptyTree) changed.add(packs)
  }

  const isMany = missing.length >= manyObjects
  const files = isEarly && !isMany ? await writing(() => stageLoose(folder, missing)) : undefined

  return {
    install: async () => {
      if (isMany && (await listPacks(repo)).length < mostPacks) {
        changed.add(packs)
        await writing(() => writePacks(packs, missing))
      } else {
        for (const { oid } of missing) changed.add(dirname(looseFile(folder, oid)))
        await writing(() => (files ? files.name() : writeLoose(folder, missing)))
      }

      await syncNames(folder, changed)
      crashPoint('W1')
      await readBack(repo, missing)
    },
    discard: () => files?.remove(),
  }
}

/** Returns where files are noted that are synced later; undefined: none is. */
function unsyncedOf({ dir, processes: { unsynced } }: Repository): Set<string> | undefined {
  const files = unsynced?.get(dir) ?? new Set<string>()
  unsynced?.set(dir, files)
  return unsynced && files
}

async function writing<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw fileError('write object', error)
  }
}

/**
 * Syncs object folders, and their parent if one of them may have been created since the parent was
 * synced.
 */
async function syncNames(objects: string, folders: Iterable<string>): Promise<void> {
  const found = [...folders].map(folder => [folder, whichFolder(folder)] as const)
  const known = found.every(([folder, which]) => safe.get(folder) === which)
  await syncFolders(known ? folders : [...folders, objects])
  for (const [folder, which] of found) safe.set(folder, which, 1)
}

function whichFolder(folder: string): string {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false })
  return found ? `${found.ino} ${found.birthtimeNs}` : 'gone'
}

async function readBack(repo: Repository, objects: readonly NewObject[]): Promise<void> {
  const found = await objectInfo(
    repo,
    objects.map(object => object.oid),
  )
  for (const { oid } of objects) if (!found.has(oid)) throw unreadable(oid)
}
