import { mkdirSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { cookiesOf } from './check-live.ts'
import { fonts } from './fonts.ts'
import type { LiveSites } from './live-site.ts'
import { schemes } from './run-options.ts'

const folder = new URL('../../pictures/', import.meta.url)

/** A picture of the README: a page, and the way from there to what it shows. */
type Picture = {
  name: string
  scheme: (typeof schemes)[number]
  at: string
  go?: (page: Page) => Promise<void>
}

const picturesOf = ({ manual, travel }: LiveSites): Picture[] => [
  ...schemes.map(scheme => ({ name: `site-${scheme}`, scheme, at: `${manual}writing/content` })),
  {
    name: 'edit',
    scheme: 'light',
    at: `${travel.published}marks`,
    go: async page => {
      await page.getByRole('link', { name: 'Edit this page' }).first().click()
      await page.locator('.cm-content').waitFor()
    },
  },
  {
    name: 'review',
    scheme: 'light',
    at: `${travel.published}marks`,
    go: async page => {
      await page.getByRole('link', { name: 'Change requests' }).first().click()
      await page
        .getByRole('link', { name: /Every kind of mark/ })
        .first()
        .click()
      await page.locator('.tabbar a', { hasText: 'Pages' }).click()
      await page.waitForURL(/\/pages\//)
    },
  },
]

/**
 * Writes the pictures of the README: a page of the manual in light and dark colors, the editor, and what
 * a change request changes.
 */
export async function takeScreenshots(browser: Browser, sites: LiveSites): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const { name, scheme, at, go } of picturesOf(sites)) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme: scheme,
      bypassCSP: true,
    })
    if (go) await context.addCookies(cookiesOf(sites))
    const page = await context.newPage()
    await page.goto(at)
    await go?.(page)
    await page.addStyleTag({ content: fonts() })
    await page.evaluate(async () => {
      await document.fonts.ready
    })
    const picture = await page.screenshot()
    const small = await sharp(picture).png({ palette: true, quality: 90, effort: 10 }).toBuffer()

    writeFileSync(new URL(`${name}.png`, folder), small)
    await context.close()
  }
}
