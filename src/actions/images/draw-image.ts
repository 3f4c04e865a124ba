import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateSlot } from '../../caches.ts'
import { canPrint, hasImagePackage } from '../../content/print/packages.ts'
import type { DrawOrder } from '../../content/print/share-card.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { runChild } from '../../lib/child.ts'
import { SharedWork } from '../../lib/shared-work.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { findImage } from '../made-files/image-files.ts'
import { withWorkFolder } from '../made-files/work-folder.ts'
import { FailedImages } from './failed-images.ts'

/** The limits of the process that draws an image. */
const mostMs = 20_000
const megabytes = 1024

/** How many images may wait. */
const mostWaiting = 12

type Press = { runs: SharedWork<Buffer>; waiting: number; failures: FailedImages }

const press = stateSlot<Press>(() => ({
  runs: new SharedWork(),
  waiting: 0,
  failures: new FailedImages(),
}))

/** Returns whether the server draws images. */
export const drawsImages = ({ config }: Pick<Context, 'config'>): boolean =>
  config.madeImagesBytes > 0 && hasImagePackage() && canPrint()

/** The space that an image belongs to. */
export type OfSpace = Pick<SpaceRow, 'id' | 'organization_id'>

/**
 * Returns the kept image at a path, or makes and returns it. Makes one image at a time. Throws
 * 'unavailable' while too many requests wait, and 'missing' if the image cannot be drawn, or an
 * attempt failed a few minutes ago.
 */
export async function madeOnce(
  ctx: Context,
  { space, path, signal }: { space: OfSpace; path: string; signal: AbortSignal },
  make: (stop: AbortSignal) => Promise<Buffer>,
): Promise<Buffer> {
  const kept = await findImage(path)
  if (kept) return kept
  const state = ctx.caches.get(press)
  if (state.failures.has(ctx, path)) throw noImage()
  if (state.waiting >= mostWaiting)
    throw new Fault('busy', 'Too many images are being made. Try again in a minute.')
  state.waiting++

  try {
    return await state.runs.join(path, signal, async stop =>
      ctx.locks.run('draw-image', () => make(stop)),
    )
  } catch (error) {
    if (signal.aborted) throw error
    state.failures.add(ctx, path)
    ctx.log.warn({ err: error, space: space.id }, 'an image could not be drawn')
    throw noImage()
  } finally {
    state.waiting--
  }
}

const noImage = () => new Fault('not_found', 'There is no such image.')

/** Draws an image in a process of its own. `logo` has the bytes of the file that a card names. */
export function drawImage(
  ctx: Context,
  order: DrawOrder,
  logo: Buffer | undefined,
  signal: AbortSignal,
): Promise<Buffer> {
  signal.throwIfAborted()
  return withWorkFolder(ctx, async folder => {
    if (logo) await writeFile(join(folder, 'logo'), logo)
    await writeFile(join(folder, 'order.json'), JSON.stringify(order))
    await runChild('draw-image', { ms: mostMs, megabytes, folder, signal }, () => undefined)
    return readFile(join(folder, 'out.png'))
  })
}
