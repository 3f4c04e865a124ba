import { imageSize } from 'image-size'
import mime from 'mime-types'
import { baseName } from './files.ts'
import { svgDimensions } from './media-svg.ts'

export type Dimensions = { width: number; height: number }

/**
 * Returns the media type for a file's name, without parameters; `application/octet-stream` if it
 * has no known extension.
 */
export function contentTypeOf(path: string): string {
  const name = baseName(path)
  // A name without a dot has no extension, even if it looks like one.
  return (name.includes('.') && mime.lookup(name)) || 'application/octet-stream'
}

const inline = new Set([
  'application/pdf',
  'application/json',
  'text/plain',
  'text/csv',
  'text/markdown',
  'image/png',
  'image/gif',
  'image/jpeg',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
  'image/vnd.microsoft.icon',
])

/**
 * Returns whether a browser may show the type inline: no type that can contain scripts, such as
 * SVG, which still works in `<img>`.
 */
export function safeForInline(contentType: string): boolean {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  return inline.has(type) || /^(?:audio|video)\/[\w.+-]+$/.test(type)
}

/**
 * Returns the size in pixels of a PNG, GIF, JPEG, WebP or SVG image from its first bytes (64 KB are
 * enough for files of cameras and editors), detected by content, not by name. Returns undefined for
 * other types and for truncated bytes.
 */
export function imageDimensions(head: Uint8Array): Dimensions | undefined {
  // A copy: `image-size` may read beyond a view, into the rest of a pooled buffer.
  const bytes = Buffer.from(Uint8Array.from(head.subarray(0, 65_536)).buffer)
  const size = isBitmap(bytes) ? bitmapDimensions(bytes) : svgDimensions(bytes)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

/**
 * Returns whether the bytes start like a PNG, GIF, JPEG or WebP image. `image-size` would also try
 * twenty other formats.
 */
function isBitmap(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 12)
  return (
    ['\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a', '\xff\xd8\xff'].some(magic =>
      start.startsWith(magic),
    ) ||
    (start.startsWith('RIFF') && start.endsWith('WEBP'))
  )
}

function bitmapDimensions(bytes: Buffer): Dimensions | undefined {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes)
    // A photograph that is rotated by 90 degrees.
    return orientation >= 5 && orientation <= 8
      ? { width: height, height: width }
      : { width, height }
  } catch {
    return undefined
  }
}
