import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Dimensions, imageDimensions } from '../../content/media.ts'
import { tooLarge } from '../../content/print/left-out.ts'
import type { LeftOut, PrintImage } from '../../content/print/order.ts'
import { streamBlobs } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'

/**
 * Limits on the bytes and pixels of one image and of all; `decodedPixels` is the limit on those of
 * all bitmaps that are not made smaller.
 */
export type ImageLimits = {
  bytes: number
  allBytes: number
  pixels: number
  allPixels: number
  decodedPixels: number
}

/** The supported formats: file extension, and a test of the first bytes. */
const kinds: readonly [extension: string, begins: (head: string) => boolean][] = [
  ['png', head => head.startsWith('\x89PNG\r\n\x1a\n')],
  ['jpg', head => head.startsWith('\xff\xd8\xff')],
  ['gif', head => head.startsWith('GIF87a') || head.startsWith('GIF89a')],
  ['webp', head => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP'],
  ['svg', head => /^(?:\xef\xbb\xbf)?\s*</.test(head) && head.includes('<svg')],
]

/** Returns whether a path has the extension of an image. */
export const isImagePath = (path: string): boolean => /\.(?:png|jpe?g|gif|webp|svg)$/i.test(path)

/**
 * Writes the images in these blobs into a folder, named after the blob. Returns the images by blob,
 * and those that are left out because they are too large or not a supported image.
 */
export async function writeImages(
  repo: Repository,
  oids: ReadonlySet<Oid>,
  folder: string,
  limits: ImageLimits,
): Promise<{ images: Map<string, PrintImage>; left: LeftOut[] }> {
  const images = new Map<string, PrintImage>()
  const left: LeftOut[] = []
  const unread = new Set(oids)
  let [bytesLeft, pixelsLeft] = [limits.allBytes, limits.allPixels]
  for await (const [oid, bytes] of streamBlobs(repo, [...oids], limits.bytes)) {
    unread.delete(oid)
    const head = bytes.toString('latin1', 0, 4096)
    const extension = kinds.find(([, begins]) => begins(head))?.[0]
    const size = imageDimensions(bytes)

    // The stated size of an SVG costs nothing. A bitmap of unknown size is broken.
    if (!extension || (!size && extension !== 'svg')) {
      left.push({ blob: oid, why: 'not an image that can be read' })
      continue
    }

    const pixels = extension === 'svg' || !size ? 0 : size.width * size.height
    if (pixels > limits.pixels) {
      left.push({ blob: oid, why: `more than ${limits.pixels / 1e6} million pixels` })
      continue
    }

    if (bytes.length > bytesLeft || pixels > pixelsLeft) {
      left.push({ blob: oid, why: tooLarge })
      continue
    }

    bytesLeft -= bytes.length
    pixelsLeft -= pixels
    const name = `${oid}.${extension}`

    await writeFile(join(folder, name), bytes)
    images.set(oid, { name, pixels, ...widthOf(size) })
  }

  for (const oid of unread)
    left.push({ blob: oid, why: `more than ${limits.bytes / 1024 / 1024} MB` })

  return { images, left }
}

const widthOf = (size: Dimensions | undefined) => (size ? { width: size.width } : {})
