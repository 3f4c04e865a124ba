import { widthsOf } from '../../actions/images/sized-image.ts'
import type { HtmlImage } from '../../content/html/page-html.ts'
import type { FileNode } from '../../content/tree/build.ts'
import type { BlobMedia } from '../../store/git/blob-media.ts'
import { fileAddress } from './file-address.ts'
import type { SitePlace } from './place.ts'

/** The width of a text column in pixels. Wider images are shown smaller. */
const column = 736

/**
 * Returns an image of the space as pages show it: its address, those of its smaller versions, and
 * its size.
 */
export function imageOf(
  place: Pick<SitePlace, 'ctx' | 'resolved' | 'open' | 'isCopy'>,
  file: FileNode,
  media: BlobMedia | undefined,
): HtmlImage {
  const src = fileAddress(place, file)
  if (!media?.width || !media.height) return { src }
  const { size, width, height } = media
  const widths = place.isCopy ? [] : widthsOf(place.ctx, { name: file.name, size, width, height })
  const versions = widths.map(each => `${src}?width=${each} ${each}w`)

  return {
    src,
    width,
    height,
    ...(versions.length > 0 && { srcset: [...versions, `${src} ${width}w`].join(', ') }),
    ...(width > column && !/\.svg$/i.test(file.name) && { isLarge: true }),
  }
}
