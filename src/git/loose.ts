import { closeSync, fsync, mkdirSync, openSync, renameSync, rmSync, writeFile, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { deflate, deflateSync } from 'node:zlib'
import { randomId } from '../lib/digest.ts'
import { pauses } from '../lib/slices.ts'
import type { NewObject } from './objects.ts'
import type { Oid } from './oid.ts'

/** Files written at once: the disk gathers their fsyncs, and memory holds no more than these. */
const atOnce = 8
/** Bytes that are handed to the kernel at once, without a trip through the thread pool. */
const smallFile = 256 * 1024

/** Where the loose file of an object lies; `objects` is the folder of all. */
export const looseFile = (objects: string, oid: Oid): string => join(objects, oid.slice(0, 2), oid.slice(2))

/**
 * Writes objects as loose files: each to a temporary name, fsync, rename. What a file holds is on the disk then, its name
 * is not, yet: sync their folders. Nothing of a half-written object stays where it throws.
 */
export async function writeLoose(objects: string, some: readonly NewObject[]): Promise<void> {
  const pause = pauses()
  for (let at = 0; at < some.length; at += atOnce) {
    await writeFiles(objects, some.slice(at, at + atOnce))
    await pause()
  }
}

type Temporary = { file: string; fd: number; name: string }

/**
 * Writes some objects and waits for all of their fsyncs together. What only the kernel has to do is done at once: a trip
 * through the thread pool takes ten times as long as opening or renaming a file.
 */
async function writeFiles(objects: string, some: readonly NewObject[]): Promise<void> {
  const contents = await Promise.all(some.map(async object => deflated(await object.whole())))
  const open: Temporary[] = []
  try {
    for (const [i, { oid }] of some.entries()) {
      const name = looseFile(objects, oid)
      const { file, fd } = openTemporary(dirname(name))
      open.push({ file, fd, name })
      await write(fd, contents[i]!)
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

/** Small objects are deflated at once: 0.05 ms, less than a trip through the thread pool. */
export const deflated = async (bytes: Uint8Array): Promise<Buffer> =>
  bytes.length < 64 * 1024 ? deflateSync(bytes) : promisify(deflate)(bytes)

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
