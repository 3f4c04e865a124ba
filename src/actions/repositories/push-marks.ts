import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/*
 * The push hook marks each space that is pushed to with an empty file in this folder. It does so
 * before the ref moves, so that a mark may be read too early: a mark that has been read gets
 * another name, which the hook never writes, and stays until a look finds nothing new.
 */

/** Returns the folder of the marks. */
export const marksFolder = (dataDir: string): string => join(dataDir, 'pushed')

/** A mark that has been read. `isNew`: the ref that it announces may not have moved yet. */
type PushMark = { spaceId: string; isNew: boolean }

const read = '.read'

/** Reads all marks. Those of unknown spaces are among them. */
export async function readPushMarks(dataDir: string): Promise<PushMark[]> {
  const folder = marksFolder(dataDir)
  const names = await readdir(folder).catch(() => [])
  const news = new Set(names.filter(name => !name.endsWith(read)))
  const old = names
    .filter(name => name.endsWith(read))
    .map(name => name.slice(0, -read.length))
    .filter(spaceId => !news.has(spaceId))

  for (const name of news) await rename(join(folder, name), join(folder, name + read))
  return [
    ...[...news].map(spaceId => ({ spaceId, isNew: true })),
    ...old.map(spaceId => ({ spaceId, isNew: false })),
  ]
}

/** Removes a mark that has been read. A mark that was made meanwhile stays. */
export const removePushMark = (dataDir: string, { spaceId }: PushMark): Promise<void> =>
  rm(join(marksFolder(dataDir), spaceId + read), { force: true })
