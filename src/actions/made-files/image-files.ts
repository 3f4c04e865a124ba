import { mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'
import { leastUsed } from './least-used.ts'

const folderOf = (ctx: Pick<Context, 'config'>) => join(ctx.config.dataDir, 'images')

/** The bytes that were written since room was last made. */
const written = stateSlot(() => ({ bytes: 0 }))

/**
 * The share of the limit that is written before room is made: looking through all files takes a
 * while.
 */
const slack = 1 / 32

/** Returns the path of an image that is made from content of a space. */
export const imagePath = (ctx: Pick<Context, 'config'>, spaceId: string, name: string): string =>
  join(folderOf(ctx), spaceId, name)

/** Returns the image at a path and marks it as just used; undefined when there is none. */
export async function findImage(path: string): Promise<Buffer | undefined> {
  try {
    const bytes = await readFile(path)
    const now = new Date()
    await utimes(path, now, now)
    return bytes
  } catch {
    return undefined
  }
}

/**
 * Keeps an image at a path, unless content was erased since it was read: `mayKeep` is from `watchErasing` of the
 * store. Deletes the least recently used ones that have no room.
 */
export async function keepImage(
  ctx: Pick<Context, 'config' | 'caches'>,
  path: string,
  bytes: Buffer,
  mayKeep: () => boolean,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomId(8)}`
  await writeFile(draft, bytes)
  await rename(draft, path)
  if (!mayKeep()) return rm(path, { force: true })
  const limit = ctx.config.madeImagesBytes
  const since = ctx.caches.get(written)

  since.bytes += bytes.length
  if (since.bytes < limit * slack) return
  since.bytes = 0

  for (const old of await leastUsed(
    folderOf(ctx),
    /\.(?:webp|png)(?:\.\w+)?$/,
    limit * (1 - slack),
  ))
    await rm(old, { force: true })
}

/** Deletes the images that were made from content of a space. */
export const removeImages = (ctx: Pick<Context, 'config'>, spaceId: string): Promise<void> =>
  rm(join(folderOf(ctx), spaceId), { recursive: true, force: true })
