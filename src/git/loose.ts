import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crashPoint } from '../lib/crash-points.ts'
import { randomId } from '../lib/digest.ts'
import { makeFolder, syncFolders, writeSynced } from './durable.ts'
import { fileError } from './errors.ts'
import { objectInfo, unreadable } from './objects.ts'
import { emptyTree, type Oid } from './oid.ts'
import type { Repository } from './repository.ts'

/** An object as its loose file holds it: header and content, deflated. */
export type LooseObject = { oid: Oid; deflated: () => Uint8Array | Promise<Uint8Array> }

/** Files written at once: the disk gathers their fsyncs, and memory holds no more than these. */
const atOnce = 8

/**
 * Puts objects into the repository so that they survive a power cut: each to a temporary name, fsync, rename,
 * then fsync of the folders. Objects that are there already are not written again; each new one is read back
 * once. Throws GitError 'no_space' (nothing of a half-written object stays) or 'object_unreadable'.
 */
export async function installLoose(repo: Repository, objects: readonly LooseObject[]): Promise<void> {
  const there = await objectInfo(
    repo,
    objects.map(object => object.oid),
  )
  const missing = objects.filter(({ oid }) => oid === emptyTree || !there.has(oid))
  if (missing.length === 0) return
  const folders = new Set<string>()
  const queue = [...missing]
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await install(repo, next, folders)
  }
  const workers = await Promise.allSettled(Array.from({ length: Math.min(atOnce, missing.length) }, work))
  for (const worker of workers)
    if (worker.status === 'rejected') throw fileError('write object', worker.reason)
  await syncFolders(folders)
  crashPoint('W1')
  await readBack(repo, missing)
}

async function install(
  repo: Repository,
  { oid, deflated }: LooseObject,
  folders: Set<string>,
): Promise<void> {
  const bytes = await deflated()
  try {
    await installOnce(repo, oid, bytes, folders)
  } catch (error) {
    // A gc from outside takes an empty folder away between our mkdir and our write: once is enough to try
    // again.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await installOnce(repo, oid, bytes, folders)
  }
}

async function installOnce(
  repo: Repository,
  oid: Oid,
  bytes: Uint8Array,
  folders: Set<string>,
): Promise<void> {
  const objects = join(repo.dir, 'objects')
  const folder = join(objects, oid.slice(0, 2))
  if (await makeFolder(folder)) folders.add(objects)
  // Git's own prefix for such files, so that its housekeeping knows what is left over after a crash.
  const temporary = join(folder, `tmp_obj_${randomId(10)}`)
  try {
    await writeSynced(temporary, bytes, 0o444)
    await rename(temporary, join(folder, oid.slice(2)))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  folders.add(folder)
}

async function readBack(repo: Repository, objects: readonly LooseObject[]): Promise<void> {
  const found = await objectInfo(
    repo,
    objects.map(object => object.oid),
  )
  for (const { oid } of objects) if (!found.has(oid)) throw unreadable(oid)
}
