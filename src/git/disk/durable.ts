import { closeSync, fsync, openSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { randomId } from '../../lib/digest.ts'
import { fileError } from '../values/errors.ts'

/**
 * Makes the file names in these folders survive a power cut. Folders that no longer exist are
 * skipped.
 */
export async function syncFolders(folders: Iterable<string>): Promise<void> {
  await Promise.all([...new Set(folders)].map(syncFolder))
}

/**
 * Writes a file so that a power cut leaves either the old or the new content, never a mix. Throws
 * GitError 'no_space'.
 */
export async function writeDurably(
  file: string,
  content: string | Uint8Array,
  mode = 0o644,
): Promise<void> {
  const temporary = `${file}.${randomId(8)}.tmp`
  try {
    await writeSynced(temporary, content, mode)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw fileError('write', error)
  }

  await syncFolder(dirname(file))
}

/** Writes a new file and syncs its content, but not its name. */
export async function writeSynced(
  file: string,
  content: string | Uint8Array,
  mode: number,
): Promise<void> {
  let handle: FileHandle | undefined
  try {
    handle = await open(file, 'wx', mode)
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle?.close()
  }
}

/** Creates a folder and its missing parents so that their names survive a power cut. */
export async function makeFolders(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  // A concurrent caller may have just created it, so its name may not be on the disk yet.
  const changed = [dirname(folder)]
  for (let at = folder; first && at.length > first.length; ) {
    at = dirname(at)
    changed.push(dirname(at))
  }
  await syncFolders(changed)
}

/** Makes the content of a file survive a power cut. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r')
  await handle.sync().finally(() => handle.close())
}

async function syncFolder(folder: string): Promise<void> {
  let fd: number | undefined
  try {
    // Synchronous: only the fsync is worth a trip through the thread pool.
    fd = openSync(folder, 'r')
    await promisify(fsync)(fd)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
