import { readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type Sharp from 'sharp'
import { tooLarge } from '../content/print/left-out.ts'
import type { LeftOut, PrintImage } from '../content/print/order.ts'

/** Books with fewer pixels have their images as they are. */
const fewPixels = 30_000_000

/** The most pixels across a page, of few and of many images: 200 and 150 dots per inch. */
const widestOfFew = 1276
const widestOfMany = 957
const many = 200

/** The largest bitmap that is scaled, in pixels. Larger ones were left out before. */
const mostPixels = 50_000_000

function loadSharp(): typeof Sharp | undefined {
  try {
    return createRequire(import.meta.url)('sharp') as typeof Sharp
  } catch {
    return undefined
  }
}

/**
 * Replaces the large bitmaps of a book in a folder by smaller ones, if all together have many pixels
 * and the package that decodes them is installed. Each becomes a PDF of one page: the compiler
 * decodes other images, at four bytes per pixel. Removes those that stay as they are from `images`
 * where together they have more than `mostDecoded` pixels, and returns what it removed.
 */
export async function scaleImages(
  folder: string,
  images: Map<string, PrintImage>,
  mostDecoded: number,
): Promise<LeftOut[]> {
  const bitmaps = [...images].filter(([, { name }]) => isBitmap(name))
  const total = bitmaps.reduce((sum, [, { pixels = 0 }]) => sum + pixels, 0)
  const sharp = total > Math.min(fewPixels, mostDecoded) ? loadSharp() : undefined
  if (sharp) await replaceAll(sharp, folder, images, bitmaps)
  return removeExcess(images, mostDecoded)
}

/** Removes bitmaps that exceed the limit of pixels, and returns them. */
function removeExcess(images: Map<string, PrintImage>, mostPixels: number): LeftOut[] {
  const left: LeftOut[] = []
  let room = mostPixels
  for (const [blob, { name, pixels = 0 }] of [...images]) {
    if (!isBitmap(name)) continue
    if (pixels <= room) room -= pixels
    else {
      images.delete(blob)
      left.push({ blob, why: tooLarge })
    }
  }
  return left
}

const isBitmap = (name: string): boolean => /\.(?:png|jpg|gif|webp)$/.test(name)

/** Replaces bitmaps by PDFs. One that cannot be decoded stays as it is. */
async function replaceAll(
  sharp: typeof Sharp,
  folder: string,
  images: Map<string, PrintImage>,
  bitmaps: readonly (readonly [blob: string, image: PrintImage])[],
): Promise<void> {
  sharp.concurrency(1)
  sharp.cache(false)
  const widest = bitmaps.length > many ? widestOfMany : widestOfFew
  const waiting = bitmaps.values()
  const work = async () => {
    for (const [blob, image] of waiting) {
      const path = join(folder, image.name)
      const made = await scaled(sharp, await readFile(path), widest).catch(() => undefined)
      if (!made) continue
      const name = `${blob}.pdf`
      await writeFile(join(folder, name), made)
      await rm(path)
      images.set(blob, { ...image, name })
    }
  }
  await Promise.all([work(), work()])
}

async function scaled(sharp: typeof Sharp, bytes: Buffer, widest: number): Promise<Buffer> {
  const { data, info } = await sharp(bytes, { limitInputPixels: mostPixels, sequentialRead: true })
    .autoOrient()
    .resize({ width: widest, height: 2 * widest, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const space = channels > 2 ? '/DeviceRGB' : '/DeviceGray'
  const size = { width, height, space }
  const { color, alpha } =
    channels % 2 === 0 ? split(data, channels) : { color: data, alpha: undefined }
  if (alpha)
    return imagePdf({
      ...size,
      filter: '/FlateDecode',
      data: deflateSync(color),
      alpha: deflateSync(alpha),
    })

  const raw = { width, height, channels: channels > 2 ? 3 : 1 } as const
  const jpeg = await sharp(color, { raw })
    .jpeg({ quality: 82, chromaSubsampling: '4:4:4' })
    .toBuffer()

  return imagePdf({ ...size, filter: '/DCTDecode', data: jpeg })
}

/** Splits pixels into colors and their opacity, which is undefined if all of them are opaque. */
function split(data: Buffer, channels: number): { color: Buffer; alpha: Buffer | undefined } {
  const count = data.length / channels
  const colors = channels - 1
  const color = Buffer.alloc(count * colors)
  const alpha = Buffer.alloc(count)
  let isOpaque = true

  for (let at = 0; at < count; at++) {
    for (let c = 0; c < colors; c++) color[at * colors + c] = data[at * channels + c]!
    alpha[at] = data[at * channels + colors]!
    isOpaque &&= alpha[at] === 255
  }

  return { color, alpha: isOpaque ? undefined : alpha }
}

type PdfImage = {
  width: number
  height: number
  space: string
  filter: string
  data: Buffer
  alpha?: Buffer
}

/** Returns a PDF of one page, which is the image. */
function imagePdf({ width, height, space, filter, data, alpha }: PdfImage): Buffer {
  const pieces: Buffer[] = [Buffer.from('%PDF-1.5\n')]
  const offsets: number[] = []
  let at = pieces[0]!.length
  const add = (text: string, stream?: Buffer) => {
    offsets.push(at)
    const parts = stream
      ? [
          `${offsets.length} 0 obj\n<<${text}/Length ${stream.length}>>\nstream\n`,
          stream,
          '\nendstream\nendobj\n',
        ]
      : [`${offsets.length} 0 obj\n<<${text}>>\nendobj\n`]
    for (const part of parts) {
      const bytes = Buffer.from(part as string)
      pieces.push(bytes)
      at += bytes.length
    }
  }
  const shape = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8`

  add('/Type/Catalog/Pages 2 0 R')
  add('/Type/Pages/Kids[3 0 R]/Count 1')
  add(
    `/Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>`,
  )
  add('', Buffer.from(`${width} 0 0 ${height} 0 0 cm /I Do`))
  add(`${shape}/ColorSpace${space}/Filter${filter}${alpha ? '/SMask 6 0 R' : ''}`, data)
  if (alpha) add(`${shape}/ColorSpace/DeviceGray/Filter/FlateDecode`, alpha)

  const size = offsets.length + 1
  const lines = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${lines}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${at}\n%%EOF\n`

  return Buffer.concat([...pieces, Buffer.from(end)])
}
