import { existsSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { listPacks } from '../disk/list-packs.ts'
import type { Repository } from '../process/processes.ts'
import type { ObjectIds } from './object-ids.ts'
import { type PackIndex, readPackIndex } from './pack-index.ts'

/** Limits on the packs of a repository together. Their indexes are held in memory. */
const mostPacks = 100
const mostBytes = 128 * 1024 ** 2
const mostObjects = 300_000
const checksumBytes = 20

export type OpenPack = { file: FileHandle; index: PackIndex }

/**
 * Lists the files of a repository's packs. Returns undefined if they exceed the limits, or if the repository borrows objects or
 * has a cut history.
 */
export async function listServedPacks(repo: Repository): Promise<string[] | undefined> {
  if (['objects/info/alternates', 'shallow'].some(name => existsSync(join(repo.dir, name)))) return undefined
  const files = (await listPacks(repo)).map(name => join(repo.dir, 'objects/pack', name))
  if (files.length > mostPacks) return undefined
  // Synchronously: a trip through the thread pool takes longer.
  const bytes = files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  return bytes <= mostBytes ? files : undefined
}

/**
 * Runs `use` with these packs open; `ids` are the objects to be found in them. A pack that is removed meanwhile can still be
 * read. Returns undefined if a pack is gone or its index is not supported.
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
  const indexes = await Promise.all(opened.map((file, i) => indexOf(file, files[i]!, ids)))
  const packs = opened.flatMap((file, i) => (indexes[i] ? { file, index: indexes[i] } : []))
  const objects = packs.reduce((sum, { index }) => sum + index.places.length, 0)
  return packs.length < files.length || objects > mostObjects ? undefined : packs
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function indexOf(file: FileHandle, name: string, ids: ObjectIds): Promise<PackIndex | undefined> {
  const { size } = await file.stat()
  if (size < checksumBytes) return undefined
  const checksum = Buffer.alloc(checksumBytes)
  await file.read(checksum, 0, checksumBytes, size - checksumBytes)
  return readPackIndex(name, { bytes: size, checksum }, ids)
}
