import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { crashPoint } from '../lib/crash-points.ts'
import { syncFolders } from './durable.ts'
import { fileError } from './errors.ts'
import { listPacks } from './list-packs.ts'
import { looseFile, writeLoose } from './loose.ts'
import { type NewObject, objectInfo, unreadable } from './objects.ts'
import { emptyTree } from './oid.ts'
import { writePacks } from './pack.ts'
import type { Repository } from './repository.ts'

/** From so many objects on a change is one pack: three fsyncs, where loose files take up to two each. */
const manyObjects = 24
/** With so many packs Git takes longer to find an object; what comes then is loose, until upkeep has put them together. */
const mostPacks = 50
/**
 * Folders whose own names are known to be on the disk, and which ones these were: one that another process made, also in
 * the place of one that a gc took away, may be lost in a power cut.
 */
const safe = new BoundedCache<string, string>(20_000)

/**
 * Puts objects into the repository so that they survive a power cut: few of them loose, many of them as a pack. Objects
 * that are there already are not written again, but their names made safe: whoever wrote them may have died before. Each
 * new one is read back once. Throws GitError 'no_space' (nothing of a half-written object stays) or 'object_unreadable'.
 */
export async function installObjects(repo: Repository, objects: readonly NewObject[]): Promise<void> {
  if (objects.length === 0) return
  const there = await objectInfo(
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
  try {
    if (missing.length >= manyObjects && (await listPacks(repo)).length < mostPacks) {
      changed.add(packs)
      await writePacks(packs, missing)
    } else {
      for (const { oid } of missing) changed.add(dirname(looseFile(folder, oid)))
      await writeLoose(folder, missing)
    }
  } catch (error) {
    throw fileError('write object', error)
  }
  await syncNames(folder, changed)
  crashPoint('W1')
  await readBack(repo, missing)
}

/** Syncs folders of objects, and the one that they are in where one of them may have been made since it was synced. */
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
