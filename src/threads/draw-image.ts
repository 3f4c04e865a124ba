import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { loadCompiler } from '../content/print/packages.ts'
import {
  type DrawOrder,
  type IconOrder,
  iconSource,
  logoBox,
  type ShareOrder,
  shareCardSource,
} from '../content/print/share-card.ts'

// Runs as a process that lib/child.ts starts, and writes `out.png` into its folder. The compiler
// can read only that folder and fonts.
const folder = process.cwd()
const order = JSON.parse(readFileSync(join(folder, 'order.json'), 'utf8')) as DrawOrder

/**
 * Writes the logo as `logo.png` with two pixels a point. Returns its size in points; undefined for
 * bytes of no image.
 */
async function writeLogo(path: string): Promise<{ width: number; height: number } | undefined> {
  try {
    const { format, height = 1 } = await sharp(path).metadata()
    // Drawings are rendered in the size that they are shown in.
    const density =
      format === 'svg' ? Math.min(2400, Math.max(72, (72 * 2 * logoBox.height) / height)) : 72
    const box = { width: 2 * logoBox.width, height: 2 * logoBox.height }
    const shown = sharp(path, { density, limitInputPixels: 25_000_000 }).resize({
      ...box,
      fit: 'inside',
    })
    const made = await shown.png().toFile(join(folder, 'logo.png'))

    return { width: made.width / 2, height: made.height / 2 }
  } catch {
    return undefined
  }
}

/**
 * Compiles a Typst source to an SVG drawing. Its glyphs are paths, so the rasterizer needs no
 * fonts.
 */
function drawn(source: string, density: number): Sharp {
  writeFileSync(join(folder, 'main.typ'), source)
  const fontPaths = [...order.fontFolders]
  const compiler = loadCompiler().create({ workspace: folder, fontArgs: [{ fontPaths }] })
  return sharp(Buffer.from(compiler.plainSvg({ mainFilePath: join(folder, 'main.typ') })), {
    density,
  })
}

async function drawCard({ card, logo }: ShareOrder): Promise<void> {
  const size = logo && (await writeLogo(join(folder, logo)))
  writeFileSync(join(folder, 'card.json'), JSON.stringify({ ...card, size: size || undefined }))
  if (card.icon !== undefined) writeFileSync(join(folder, 'icon.svg'), card.icon)
  const image = drawn(shareCardSource, 72).resize(1200, 630).flatten()
  await image.png({ palette: true, quality: 90, effort: 7 }).toFile(join(folder, 'out.png'))
}

async function drawIcon({ svg, size }: IconOrder): Promise<void> {
  writeFileSync(join(folder, 'icon.svg'), svg)
  const image = drawn(iconSource, (72 * size) / 64).resize(size, size)
  await image.png({ effort: 7 }).toFile(join(folder, 'out.png'))
}

await ('card' in order ? drawCard(order) : drawIcon(order))
process.stdout.write('{"made":true}\n')
