import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateSlot } from '../../caches.ts'
import type { ResizeOrder, ResizeOutcome } from '../../content/images.ts'
import { hasImagePackage } from '../../content/print/packages.ts'
import type { Context } from '../../context.ts'
import { readBlob } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { ChildError, runChild } from '../../lib/child.ts'
import type { Oid } from '../../lib/oid.ts'
import { SharedWork } from '../../lib/shared-work.ts'
import { findImage, imagePath, keepImage } from '../made-files/image-files.ts'
import { withWorkFolder } from '../made-files/work-folder.ts'
import { FailedImages } from './failed-images.ts'

/** Increment when the images that are made change. */
const version = 1

/** The widths in which images are made, in pixels. */
export const imageWidths: readonly number[] = [640, 960, 1280, 1920]

/** Images with fewer bytes, and with more bytes or pixels, are sent as they are. */
const fewestBytes = 50 * 1024
const mostBytes = 24 * 1024 * 1024
const mostPixels = 50_000_000

/** The limits of the process that makes the versions of one image. */
const mostMs = 20_000
const megabytes = 1024

/** How many images may wait. Others are sent as they are. */
const mostWaiting = 12

/** An image of a space. */
type SourceImage = { spaceId: string; repo: Repository; oid: Oid }

type Press = {
  runs: SharedWork<ReadonlyMap<number, Buffer>>
  waiting: number
  failures: FailedImages
}

const press = stateSlot<Press>(() => ({
  runs: new SharedWork(),
  waiting: 0,
  failures: new FailedImages(),
}))

/**
 * Returns the widths in which smaller versions of an image are offered, ascending: none for a small
 * image, for one that is too large, for types that are not made smaller, and where the server makes
 * none.
 */
export function widthsOf(
  { config }: Pick<Context, 'config'>,
  {
    name,
    size,
    width,
    height,
  }: { name: string; size: number; width: number | null; height: number | null },
): readonly number[] {
  const isOffered =
    config.madeImagesBytes > 0 &&
    /\.(?:png|jpe?g|webp)$/i.test(name) &&
    size > fewestBytes &&
    size <= mostBytes &&
    (width ?? 0) * (height ?? 0) <= mostPixels
  return isOffered && hasImagePackage() ? imageWidths.filter(each => each < (width ?? 0)) : []
}

/**
 * Returns a version of an image in WebP with one of `imageWidths`: one that was made before, or a
 * new one. All versions of an image are made together, of one image at a time. Undefined for an
 * image that cannot be made smaller, for a few minutes after an attempt has failed, and while too
 * many others wait.
 */
export async function sizedImage(
  ctx: Context,
  image: SourceImage,
  width: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const pathOf = (each: number): string =>
    imagePath(ctx, image.spaceId, `${image.oid}-${each}-${version}.webp`)
  const kept = await findImage(pathOf(width))
  if (kept) return kept

  const state = ctx.caches.get(press)
  if (state.failures.has(ctx, pathOf(0)) || state.waiting >= mostWaiting) return undefined
  state.waiting++

  try {
    const made = await state.runs.join(pathOf(0), signal, async stop =>
      ctx.locks.run('resize-image', () => make(ctx, image, pathOf, stop)),
    )
    return made.get(width)
  } catch (error) {
    if (signal.aborted) throw error
    state.failures.add(ctx, pathOf(0))
    ctx.log.warn(
      { err: error, space: image.spaceId, blob: image.oid },
      'an image was not made smaller',
    )
    return undefined
  } finally {
    state.waiting--
  }
}

async function make(
  ctx: Context,
  { repo, oid }: SourceImage,
  pathOf: (width: number) => string,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Buffer>> {
  signal.throwIfAborted()
  const mayKeep = ctx.store.watchErasing()
  const bytes = await readBlob(repo, oid, mostBytes)
  if (!bytes || !isStill(bytes))
    throw new Error('The blob is not an image that can be made smaller.')

  return withWorkFolder(ctx, async folder => {
    const order: ResizeOrder = { widths: imageWidths, mostPixels }
    await writeFile(join(folder, 'order.json'), JSON.stringify(order))
    await writeFile(join(folder, 'image'), bytes)
    const { widths } = await resized(folder, signal)
    const made = new Map<number, Buffer>()

    for (const width of widths) {
      const image = await readFile(join(folder, `${width}.webp`))
      await keepImage(ctx, pathOf(width), image, mayKeep)
      made.set(width, image)
    }

    return made
  })
}

async function resized(folder: string, signal: AbortSignal): Promise<ResizeOutcome> {
  try {
    const said = await runChild(
      'resize-image',
      { ms: mostMs, megabytes, folder, signal },
      () => undefined,
    )
    return JSON.parse(said) as ResizeOutcome
  } catch (error) {
    if (error instanceof ChildError && error.why === 'aborted') throw signal.reason
    throw error
  }
}

/** Returns whether bytes are a PNG, JPEG or WebP image that does not move. */
function isStill(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, 4096)
  if (head.startsWith('\xff\xd8\xff')) return true
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return !head.includes('acTL')
  return head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP' && !head.includes('ANIM')
}
