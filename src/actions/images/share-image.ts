import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateSlot } from '../../caches.ts'
import { cutCard, type ShareCard, type ShareOrder } from '../../content/print/share-card.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { runChild } from '../../lib/child.ts'
import { sha256 } from '../../lib/digest.ts'
import { SharedWork } from '../../lib/shared-work.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { withPrintFolder } from '../print/print-files.ts'
import { fontFolders } from '../print/print-fonts.ts'
import { findImage, imagePath, keepImage } from './image-files.ts'
import { siteLogo } from './site-logo.ts'
import { hasImagePackage } from './sized-image.ts'

/** Increment when the layout of the images changes. */
const version = 1

/** The limits of the process that draws an image. */
const mostMs = 20_000
const megabytes = 1024

/** How many images may wait. */
const mostWaiting = 12

/** Fonts of texts in the order in which they are tried, before any font of the machine. */
const fonts = [
  ...['Inter', 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', 'Libertinus Serif'],
  ...['Noto Sans SC', 'Noto Sans TC', 'Noto Color Emoji'],
]

type Press = { runs: SharedWork<Buffer>; waiting: number; failures: BoundedCache<string, true> }

const press = stateSlot<Press>(() => ({
  runs: new SharedWork(),
  waiting: 0,
  failures: new BoundedCache(10_000),
}))

/** Returns whether the server draws share images. */
export const drawsShareImages = ({ config }: Pick<Context, 'config'>): boolean =>
  config.madeImagesBytes > 0 && hasImagePackage()

/** Returns a digest of everything that the image of a card shows. */
export const shareDigest = (card: Omit<ShareCard, 'fonts'>): string =>
  sha256(JSON.stringify([version, card])).slice(0, 20)

type OfSpace = Pick<SpaceRow, 'id' | 'organization_id'>

/**
 * Returns the image of a card of a space as PNG: one that was made before, or a new one; one image is made at a time. Throws
 * 'unavailable' while too many wait, and 'missing' for a card that cannot be drawn.
 */
export async function shareImage(
  ctx: Context,
  space: OfSpace,
  card: Omit<ShareCard, 'fonts'>,
  signal: AbortSignal,
): Promise<Buffer> {
  const path = pathOf(ctx, space, card)
  const kept = await findImage(path)
  if (kept) return kept
  const state = ctx.caches.get(press)
  if (state.failures.get(path)) throw noImage()
  if (state.waiting >= mostWaiting)
    throw new Fault('unavailable', 'Too many images are being made. Try again in a minute.')
  state.waiting++
  try {
    return await state.runs.join(path, signal, async stop =>
      ctx.locks.run('share-image', () => make(ctx, space, card, stop)),
    )
  } catch (error) {
    if (signal.aborted) throw error
    state.failures.set(path, true, 1)
    ctx.log.warn({ err: error, space: space.id }, 'a share image was not made')
    throw noImage()
  } finally {
    state.waiting--
  }
}

const noImage = () => new Fault('missing', 'There is no image of this page.')

const pathOf = (ctx: Context, space: OfSpace, card: Omit<ShareCard, 'fonts'>): string =>
  imagePath(ctx, space.id, `share-${shareDigest(card)}.png`)

/** Draws the image of a card. Without a logo that can be fetched, it is that of the card without one. */
async function make(
  ctx: Context,
  space: OfSpace,
  card: Omit<ShareCard, 'fonts'>,
  stop: AbortSignal,
): Promise<Buffer> {
  const logo = card.logo && (await siteLogo(ctx, space.organization_id, card.logo, stop))
  if (card.logo && !logo) {
    const plain = { ...card, logo: undefined }
    return (await findImage(pathOf(ctx, space, plain))) ?? make(ctx, space, plain, stop)
  }
  const image = await draw(ctx, cutCard({ ...card, fonts }), logo || undefined, stop)
  await keepImage(ctx, pathOf(ctx, space, card), image)
  return image
}

function draw(ctx: Context, card: ShareCard, logo: Buffer | undefined, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted()
  return withPrintFolder(ctx, async folder => {
    const order: ShareOrder = { card, fontFolders: fontFolders(ctx), logo: logo && 'logo' }
    if (logo) await writeFile(join(folder, 'logo'), logo)
    await writeFile(join(folder, 'order.json'), JSON.stringify(order))
    await runChild('share-image', { ms: mostMs, megabytes, folder, signal }, () => undefined)
    return readFile(join(folder, 'out.png'))
  })
}
