import {
  closeSync,
  existsSync,
  fsync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { crashPoint } from '../lib/crash-points.ts'
import { randomId } from '../lib/digest.ts'
import { syncFolders } from './durable.ts'
import { fileError } from './errors.ts'
import { objectInfo, unreadable } from './objects.ts'
import { emptyTree, type Oid } from './oid.ts'
import type { Repository } from './repository.ts'

/** An object as its loose file holds it: header and content, deflated. */
export type LooseObject = { oid: Oid; deflated: () => Uint8Array | Promise<Uint8Array> }

/** Files written at once: the disk gathers their fsyncs, and memory holds no more than these. */
const atOnce = 8
/** Bytes that are handed to the kernel at once, without a trip through the thread pool. */
const smallFile = 256 * 1024
/**
 * Folders whose own names are known to be on the disk, and which ones these were: one that another process made, also in
 * the place of one that a gc took away, may be lost in a power cut.
 */
const safe = new BoundedCache<string, string>(20_000)

/**
 * Puts objects into the repository so that they survive a power cut: each to a temporary name, fsync, rename,
 * then fsync of the folders. Objects that are there already are not written again, but their names made safe: whoever
 * wrote them may have died before. Each new one is read back once. Throws GitError 'no_space' (nothing of a half-written
 * object stays) or 'object_unreadable'.
 */
export async function installLoose(repo: Repository, objects: readonly LooseObject[]): Promise<void> {
  if (objects.length === 0) return
  const there = await objectInfo(
    repo,
    objects.map(object => object.oid),
  )
  const missing = objects.filter(({ oid }) => oid === emptyTree || !there.has(oid))
  const folder = join(repo.dir, 'objects')
  const changed = new Set<string>()
  for (const { oid } of objects)
    if (existsSync(fileOf(folder, oid))) changed.add(dirname(fileOf(folder, oid)))
  try {
    for (let at = 0; at < missing.length; at += atOnce)
      await install(folder, missing.slice(at, at + atOnce), changed)
  } catch (error) {
    throw fileError('write object', error)
  }
  await syncNames(folder, changed)
  crashPoint('W1')
  await readBack(repo, missing)
}

const fileOf = (objects: string, oid: Oid): string => join(objects, oid.slice(0, 2), oid.slice(2))

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

type Temporary = { file: string; fd: number; name: string }

/**
 * Writes some objects and waits for all of their fsyncs together. What only the kernel has to do is done at once: a trip
 * through the thread pool takes ten times as long as opening or renaming a file.
 */
async function install(objects: string, some: readonly LooseObject[], changed: Set<string>): Promise<void> {
  const contents = await Promise.all(some.map(object => object.deflated()))
  const open: Temporary[] = []
  try {
    for (const [i, { oid }] of some.entries()) {
      const name = fileOf(objects, oid)
      const { file, fd } = openTemporary(dirname(name))
      open.push({ file, fd, name })
      await write(fd, contents[i]!)
      changed.add(dirname(name))
    }
    await Promise.all(open.map(({ fd }) => promisify(fsync)(fd)))
    for (let next = open[0]; next; next = open[0]) {
      closeSync(next.fd)
      next.fd = -1
      renameSync(next.file, next.name)
      open.shift()
    }
  } finally {
    for (const { file, fd } of open) {
      if (fd !== -1) closeSync(fd)
      rmSync(file, { force: true })
    }
  }
}

/** Opens a new file in the folder, with Git's own prefix for such files: its housekeeping knows what a crash leaves. */
function openTemporary(folder: string): { file: string; fd: number } {
  const file = join(folder, `tmp_obj_${randomId(10)}`)
  // A gc from outside takes an empty folder away between our mkdir and our open: once is enough to try again.
  for (let tries = 0; ; tries++) {
    try {
      return { file, fd: openSync(file, 'wx', 0o444) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === 2) throw error
    }
    mkdirSync(folder, { recursive: true })
  }
}

const write = async (fd: number, bytes: Uint8Array): Promise<void> =>
  bytes.length <= smallFile ? writeFileSync(fd, bytes) : promisify(writeFile)(fd, bytes)

async function readBack(repo: Repository, objects: readonly LooseObject[]): Promise<void> {
  const found = await objectInfo(
    repo,
    objects.map(object => object.oid),
  )
  for (const { oid } of objects) if (!found.has(oid)) throw unreadable(oid)
}
