import { cutCard, type ShareCard } from '../../content/print/share-card.ts'
import type { Context } from '../../context.ts'
import { sha256 } from '../../lib/digest.ts'
import { findImage, imagePath, keepImage } from '../made-files/image-files.ts'
import { fontFolders } from '../print/print-fonts.ts'
import { drawImage, madeOnce, type OfSpace } from './draw-image.ts'
import { siteLogo } from './site-logo.ts'

/** Increment when the layout of the images changes. */
const version = 1

/** Fonts of texts in the order in which they are tried, before any font of the machine. */
const fonts = [
  ...['Inter', 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', 'Libertinus Serif'],
  ...['Noto Sans SC', 'Noto Sans TC', 'Noto Color Emoji'],
]

/** Returns a digest of everything that the image of a card shows. */
export const shareDigest = (card: Omit<ShareCard, 'fonts'>): string =>
  sha256(JSON.stringify([version, card])).slice(0, 20)

/** Returns the image of a card of a space as PNG. Throws like `madeOnce`. */
export function shareImage(
  ctx: Context,
  space: OfSpace,
  card: Omit<ShareCard, 'fonts'>,
  signal: AbortSignal,
): Promise<Buffer> {
  const path = pathOf(ctx, space, card)
  return madeOnce(ctx, { space, path, signal }, stop => make(ctx, space, card, stop))
}

const pathOf = (ctx: Context, space: OfSpace, card: Omit<ShareCard, 'fonts'>): string =>
  imagePath(ctx, space.id, `share-${shareDigest(card)}.png`)

/**
 * Draws the image of a card. Without a logo that can be fetched, it is that of the card without
 * one.
 */
async function make(
  ctx: Context,
  space: OfSpace,
  card: Omit<ShareCard, 'fonts'>,
  stop: AbortSignal,
): Promise<Buffer> {
  const mayKeep = ctx.store.watchErasing()
  const logo = card.logo && (await siteLogo(ctx, space.organization_id, card.logo, stop))
  if (card.logo && !logo) {
    const plain = { ...card, logo: undefined }
    return (await findImage(pathOf(ctx, space, plain))) ?? make(ctx, space, plain, stop)
  }

  const order = {
    card: cutCard({ ...card, fonts }),
    fontFolders: fontFolders(ctx),
    logo: logo ? 'logo' : undefined,
  }
  const image = await drawImage(ctx, order, logo || undefined, stop)

  await keepImage(ctx, pathOf(ctx, space, card), image, mayKeep)

  return image
}
