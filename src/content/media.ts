import mime from 'mime-types'
import { baseName } from './files.ts'
import { svgDimensions } from './media-svg.ts'

export type Dimensions = { width: number; height: number }

/** The media type that a file's name promises, without parameters; `application/octet-stream` when it promises none. */
export function contentTypeOf(path: string): string {
  const name = baseName(path)
  // A name without a dot is a name, also when it reads like an extension.
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

/** Returns whether a browser may show the type inline: no type that can contain scripts, such as SVG, which still works in `<img>`. */
export function safeForInline(contentType: string): boolean {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  return inline.has(type) || /^(?:audio|video)\/[\w.+-]+$/.test(type)
}

/**
 * Returns the size in pixels of a PNG, GIF, JPEG, WebP or SVG image from its first bytes (64 KB are enough for files of
 * cameras and editors), detected by content, not by name. Returns undefined for other types and for truncated bytes.
 */
export function imageDimensions(head: Uint8Array): Dimensions | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 65_536))
  const read = readerOf(bytes)
  const size = read?.(bytes)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

function readerOf(bytes: Buffer): ((bytes: Buffer) => Dimensions | undefined) | undefined {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return png
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return gif
  if (start.startsWith('\xff\xd8\xff')) return jpeg
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return webp
  return svgDimensions
}

function png(bytes: Buffer): Dimensions | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gif(bytes: Buffer): Dimensions | undefined {
  return bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** Reads the segments up to the first frame. The length of a segment includes its own two bytes. */
function jpeg(bytes: Buffer): Dimensions | undefined {
  let turned = false
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1]!
    if (marker === 0xff) {
      at++
      continue
    }
    if (isBareMarker(marker)) {
      at += 2
      continue
    }
    if (isFrame(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
      return turned ? { width: height, height: width } : { width, height }
    }
    if (marker === 0xd9 || marker === 0xda) return undefined
    const length = bytes.readUInt16BE(at + 2)
    if (length < 2) return undefined
    if (marker === 0xe1) turned ||= isTurned(bytes.subarray(at + 4, at + 2 + length))
    at += 2 + length
  }
  return undefined
}

/** Returns whether a marker has no segment. */
const isBareMarker = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

/** Returns whether a marker starts a frame. C4, C8 and CC are tables in the same range. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Returns whether the Exif data of a photograph says that it is rotated by 90 degrees. */
function isTurned(exif: Buffer): boolean {
  if (exif.length < 14 || exif.toString('latin1', 0, 6) !== 'Exif\0\0') return false
  const tiff = exif.subarray(6)
  const little = tiff.toString('latin1', 0, 2) === 'II'
  const u16 = (at: number) =>
    at + 2 > tiff.length ? 0 : little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const count = Math.min(u16(directory), 200)
  for (let i = 0; i < count; i++) {
    const at = directory + 2 + i * 12
    if (u16(at) === 0x0112) return u16(at + 8) >= 5 && u16(at + 8) <= 8
  }
  return false
}

function webp(bytes: Buffer): Dimensions | undefined {
  if (bytes.length < 30) return undefined
  const kind = bytes.toString('latin1', 12, 16)
  if (kind === 'VP8 ')
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (kind !== 'VP8L') return undefined
  const bits = bytes.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}
