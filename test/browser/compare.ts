import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { fonts } from './fonts.ts'
import type { LiveSites } from './live-site.ts'
import { liveStates } from './live-states.ts'
import type { Tally } from './run-options.ts'

/** Key states whose pictures are kept, with their widths. */
const kept: readonly (readonly [string, number])[] = [
  ...['home', 'middle', 'blocks', 'missing', 'search-nothing', 'dialog-nothing'].flatMap(name => [
    [name, 1280] as const,
    [name, 390] as const,
  ]),
  ['pages', 390],
  ['print', 820],
]

const folder = new URL('pictures/', import.meta.url)
const versionFile = new URL('chromium.txt', folder)

/**
 * The share of pixels that may differ, and by how much the colors of one may differ before it
 * counts.
 */
const mostDiffering = 0.002
const tolerance = 24

/**
 * Runs in the page. Returns the share of the pixels of two pictures that differ; 1 for pictures of
 * different sizes.
 */
async function differing({
  one,
  other,
  tolerance,
}: {
  one: string
  other: string
  tolerance: number
}) {
  const pixelsOf = async (base64: string) => {
    const image = await createImageBitmap(
      await (await fetch(`data:image/png;base64,${base64}`)).blob(),
    )
    const canvas = new OffscreenCanvas(image.width, image.height)
    const context = canvas.getContext('2d')!
    context.drawImage(image, 0, 0)
    return context.getImageData(0, 0, image.width, image.height)
  }
  const [a, b] = [await pixelsOf(one), await pixelsOf(other)]
  if (a.width !== b.width || a.height !== b.height) return 1

  let count = 0

  for (let at = 0; at < a.data.length; at += 4) {
    const difference = [0, 1, 2].map(channel =>
      Math.abs(a.data[at + channel]! - b.data[at + channel]!),
    )
    if (Math.max(...difference) > tolerance) count++
  }

  return count / (a.width * a.height)
}

async function pictureOf(
  browser: Browser,
  sites: LiveSites,
  name: string,
  width: number,
): Promise<Buffer> {
  const state = liveStates[name]!
  // The policy of the pages would forbid the style sheet.
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    reducedMotion: 'reduce',
    bypassCSP: true,
  })
  const page = await context.newPage()
  await page.goto(state.at({ ...sites, manual: sites.handbook }))
  await page.addStyleTag({ content: fonts() })
  if (state.printed) await page.emulateMedia({ media: 'print' })
  await state.act?.(page)
  await page.mouse.move(0, 0)
  await page.evaluate(async () => {
    await document.fonts.ready
  })
  const picture = await page.screenshot({ caret: 'hide' })

  await context.close()

  return picture
}

/** Compares a picture with the kept one. Returns what is wrong. */
async function compare(page: Page, picture: Buffer, file: URL): Promise<string | undefined> {
  if (!existsSync(file)) return 'no picture is kept: run with --update'
  const pair = {
    one: picture.toString('base64'),
    other: readFileSync(file).toString('base64'),
    tolerance,
  }
  const share = await page.evaluate(differing, pair)
  return share > mostDiffering ? `${(share * 100).toFixed(2)} % of its pixels differ` : undefined
}

/**
 * Compares key states in light colors with kept pictures, or keeps new ones (`isUpdate`). Browsers
 * of another major version draw text and forms in another way: with them, nothing is compared.
 */
export async function comparePictures(
  browser: Browser,
  sites: LiveSites,
  { isUpdate, folder: shown }: { isUpdate: boolean; folder: string | undefined },
): Promise<Tally> {
  const version = browser.version().split('.', 1)[0]!
  const known = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : ''
  const tally = { states: 0, failed: 0 }

  if (!isUpdate && known !== version) {
    console.log(`skipped: the pictures are those of Chromium ${known}, and this is ${version}`)
    return tally
  }

  mkdirSync(folder, { recursive: true })
  if (isUpdate) writeFileSync(versionFile, `${version}\n`)

  const page = await browser.newPage()

  await page.addInitScript('globalThis.__name = named => named')
  await page.goto('about:blank')

  for (const [name, width] of kept) {
    const picture = await pictureOf(browser, sites, name, width)
    const file = new URL(`${name}-${width}.png`, folder)
    if (isUpdate)
      writeFileSync(
        file,
        await sharp(picture).png({ palette: true, dither: 0, effort: 10 }).toBuffer(),
      )

    const problem = await compare(page, picture, file)

    tally.states++
    if (problem === undefined) continue
    tally.failed++
    console.log(`${name}-${width}: ${problem}`)
    if (shown) writeFileSync(`${shown}/differs-${name}-${width}.png`, picture)
  }

  await page.close()

  return tally
}
