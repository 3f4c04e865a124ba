import { mkdirSync, writeFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { fonts } from './fonts.ts'
import type { LiveSites } from './live-site.ts'
import { schemes } from './run-options.ts'

const folder = new URL('../../pictures/', import.meta.url)

/** Writes the two pictures of the README: a page of the manual in light and dark colors. */
export async function takeScreenshots(browser: Browser, { manual }: LiveSites): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const colorScheme of schemes) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme,
      bypassCSP: true,
    })
    const page = await context.newPage()
    await page.goto(`${manual}writing/content`)
    await page.addStyleTag({ content: fonts() })
    await page.evaluate(async () => {
      await document.fonts.ready
    })
    const picture = await page.screenshot()
    const small = await sharp(picture).png({ palette: true, quality: 90, effort: 10 }).toBuffer()

    writeFileSync(new URL(`site-${colorScheme}.png`, folder), small)
    await context.close()
  }
}
