import {
  closeSync,
  fsync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { deflate, deflateSync } from 'node:zlib'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'
import type { NewObject } from './objects.ts'

/** Files written at once: the disk batches their fsyncs, and memory holds only these. */
const atOnce = 8
/** Up to this size, bytes are written synchronously, without a trip through the thread pool. */
const smallFile = 256 * 1024

/**
 * Returns the path of an object's loose file; `objects` is the objects folder of the repository.
 */
export const looseFile = (objects: string, oid: Oid): string =>
  join(objects, oid.slice(0, 2), oid.slice(2))

/** Whether the contents of files are on the disk before the files have their names. Default true. */
type Syncing = { isSynced?: boolean }

/**
 * Writes objects as loose files: each to a temporary name, fsync, rename. On return the contents
 * are on the disk but the names are not: sync their folders. When it throws, no partial object
 * remains.
 */
export async function writeLoose(
  objects: string,
  some: readonly NewObject[],
  syncing: Syncing = {},
): Promise<void> {
  const pause = pauses()
  for (let at = 0; at < some.length; at += atOnce) {
    await writeFiles(objects, some.slice(at, at + atOnce), syncing)
    await pause()
  }
}

type Temporary = { file: string; fd: number; name: string }

/** Loose files under temporary names. */
type StagedFiles = {
  /** Gives the files their names, which are not on the disk yet: sync their folders. */
  name: () => void
  /** Removes the files that have no name yet. */
  remove: () => void
}

async function writeFiles(
  objects: string,
  some: readonly NewObject[],
  syncing: Syncing,
): Promise<void> {
  const staged = await stageLoose(objects, some, syncing)
  try {
    staged.name()
  } finally {
    staged.remove()
  }
}

/**
 * Writes some objects under temporary names and awaits all of their fsyncs together. Calls that
 * only involve the kernel are synchronous: the thread pool takes ten times as long as opening or
 * renaming a file. When it throws, nothing remains.
 */
export async function stageLoose(
  objects: string,
  some: readonly NewObject[],
  { isSynced = true }: Syncing = {},
): Promise<StagedFiles> {
  const contents = await encoded(some)
  const files: Temporary[] = []
  const close = () => {
    for (const each of files) {
      if (each.fd !== -1) closeSync(each.fd)
      each.fd = -1
    }
  }
  const remove = () => {
    for (const { file } of files.splice(0)) rmSync(file, { force: true })
  }
  const name = () => {
    for (let next = files[0]; next; next = files[0]) {
      renameSync(next.file, next.name)
      files.shift()
    }
  }

  try {
    for (const [i, { oid }] of some.entries()) {
      const name = looseFile(objects, oid)
      const { file, fd } = openTemporary(dirname(name))
      files.push({ file, fd, name })
      await write(fd, contents[i]!)
    }

    if (isSynced) await Promise.all(files.map(({ fd }) => promisify(fsync)(fd)))
    close()

    return { name, remove }
  } catch (error) {
    close()
    remove()
    throw error
  }
}

/** Returns the contents of loose files. */
async function encoded(some: readonly NewObject[]): Promise<Buffer[]> {
  const pause = pauses()
  const contents = await Promise.all(some.map(async ({ file }) => file?.()))
  for (const [i, { whole }] of some.entries()) {
    contents[i] ??= await deflated(await whole())
    await pause()
  }
  return contents as Buffer[]
}

/**
 * Returns the deflated bytes. Small objects are deflated synchronously: 0.05 ms, less than a trip
 * through the thread pool.
 */
export const deflated = async (bytes: Uint8Array): Promise<Buffer> =>
  bytes.length < 64 * 1024 ? deflateSync(bytes) : promisify(deflate)(bytes)

/**
 * Opens a new file in the folder with Git's own prefix for temporary objects, so that its
 * housekeeping recognizes leftovers.
 */
function openTemporary(folder: string): { file: string; fd: number } {
  const file = join(folder, `tmp_obj_${randomId(10)}`)
  // An external gc may remove an empty folder between our mkdir and our open, so try again.
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
