import { existsSync, statSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pauses } from '../../lib/slices.ts'
import { listPacks } from '../disk/list-packs.ts'
import type { Repository } from '../process/processes.ts'
import type { ObjectIds } from './object-ids.ts'
import { indexFile, type PackIndex, parsePackIndex } from './pack-index.ts'

/**
 * Limits on the packs of a repository together. Their indexes are held in memory: those of some
 * 300,000 objects.
 */
const mostPacks = 100
const mostBytes = 128 * 1024 ** 2
const mostIndexBytes = 9 * 1024 ** 2
const checksumBytes = 20

export type OpenPack = { file: FileHandle; index: PackIndex }

/**
 * Lists the files of a repository's packs, as Git finds them: by their indexes. Returns undefined
 * if they exceed the limits, or if the repository borrows objects or has a cut history.
 */
export async function listServedPacks(repo: Repository): Promise<string[] | undefined> {
  if (['objects/info/alternates', 'shallow'].some(name => existsSync(join(repo.dir, name))))
    return undefined
  const named = (await listPacks(repo)).map(name => join(repo.dir, 'objects/pack', name))
  const files = named.filter(file => existsSync(indexFile(file)))
  const isServed =
    files.length <= mostPacks &&
    bytesOf(files.map(indexFile)) <= mostIndexBytes &&
    bytesOf(files) <= mostBytes

  return isServed ? files : undefined
}

/**
 * Returns the bytes of all files that exist. Synchronous: trips through the thread pool take
 * longer.
 */
const bytesOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)

/**
 * Runs `use` with these packs open; `ids` are the objects to be found in them. A pack that is
 * removed meanwhile can still be read. Returns undefined if a pack is gone or its index is not
 * supported.
 */
export async function withOpenPacks<Result>(
  files: readonly string[],
  ids: ObjectIds,
  use: (packs: readonly OpenPack[]) => Promise<Result>,
): Promise<Result | undefined> {
  const opened: FileHandle[] = []
  try {
    const packs = await openPacks(files, ids, opened).catch(unlessGone)
    return packs && (await use(packs))
  } finally {
    await Promise.all(opened.map(file => file.close()))
  }
}

/** Opens packs, and adds their files to `opened`. */
async function openPacks(
  files: readonly string[],
  ids: ObjectIds,
  opened: FileHandle[],
): Promise<OpenPack[] | undefined> {
  for (const file of files) opened.push(await open(file))
  const read = await Promise.all(
    opened.map(async (file, i) => ({
      file,
      pack: await endOf(file),
      bytes: await readFile(indexFile(files[i]!)),
    })),
  )
  const packs: OpenPack[] = []
  const pause = pauses()

  for (const { file, pack, bytes } of read) {
    const index = pack && (await parsePackIndex(bytes, pack, { ids, pause }))
    if (!index) return undefined
    packs.push({ file, index })
  }

  return packs
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Returns the size of a pack, and the checksum at its end; undefined if there is none. */
async function endOf(file: FileHandle): Promise<{ bytes: number; checksum: Buffer } | undefined> {
  const { size } = await file.stat()
  if (size < checksumBytes) return undefined
  const checksum = Buffer.alloc(checksumBytes)
  await file.read(checksum, 0, checksumBytes, size - checksumBytes)
  return { bytes: size, checksum }
}
