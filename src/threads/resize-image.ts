import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { ResizeOrder, ResizeOutcome } from '../content/images.ts'

// Started as a process by lib/child.ts: writes versions of an image into its folder. Decoders other
// than those of the types that are made smaller are shut off.
const folder = process.cwd()
const { widths, mostPixels } = JSON.parse(
  readFileSync(join(folder, 'order.json'), 'utf8'),
) as ResizeOrder
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.concurrency(1)
sharp.cache(false)
const image = sharp(readFileSync(join(folder, 'image')), {
  limitInputPixels: mostPixels,
  sequentialRead: true,
})
const { autoOrient } = await image.metadata()
const outcome: ResizeOutcome = { widths: [] }
for (const width of widths) {
  if (width >= autoOrient.width) continue
  // Turned as its camera was held, in the colors of the web, without anything else that the file
  // says.
  await image
    .clone()
    .autoOrient()
    .resize({ width })
    .webp({ quality: 82, effort: 4, smartSubsample: true })
    .toFile(join(folder, `${width}.webp`))
  outcome.widths.push(width)
}
process.stdout.write(`${JSON.stringify(outcome)}\n`)
