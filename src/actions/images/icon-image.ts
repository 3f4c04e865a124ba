import type { Context } from '../../context.ts'
import { sha256 } from '../../lib/digest.ts'
import { imagePath, keepImage } from '../made-files/image-files.ts'
import { fontFolders } from '../print/print-fonts.ts'
import { drawImage, madeOnce, type OfSpace } from './draw-image.ts'

/** The sizes of drawn icons in pixels: for browser tabs, home screens, and splash screens. */
export const iconSizes: readonly number[] = [64, 180, 512]

/**
 * Returns an icon as PNG of one of `iconSizes`, kept among the images of a space. Throws like
 * `madeOnce`.
 */
export function iconImage(
  ctx: Context,
  space: OfSpace,
  { svg, size }: { svg: string; size: number },
  signal: AbortSignal,
): Promise<Buffer> {
  const path = imagePath(ctx, space.id, `icon-${sha256(svg).slice(0, 20)}-${size}.png`)
  return madeOnce(ctx, { space, path, signal }, async stop => {
    const mayKeep = ctx.store.watchErasing()
    const image = await drawImage(
      ctx,
      { svg, size, fontFolders: fontFolders(ctx) },
      undefined,
      stop,
    )
    await keepImage(ctx, path, image, mayKeep)
    return image
  })
}
