import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { chromiumPath, startChromium } from '../browser/chromium.ts'
import { inspect, openPage } from '../browser/inspect.ts'
import { serveSamples } from '../browser/serve-samples.ts'
import { skip } from '../support/skip.ts'

let browser: Browser | undefined
let server: Awaited<ReturnType<typeof serveSamples>>

test.before(async () => {
  if (!chromiumPath) return
  server = await serveSamples()
  browser = await startChromium()
})
test.after(async () => {
  await browser?.close()
  await server?.close()
})

const wide = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const
const phone = { viewport: { width: 390, height: 800 }, reducedMotion: 'reduce' } as const

/**
 * Adds a test with a page in the browser. It fails when the page writes to the console or breaks
 * its policy.
 */
function inBrowser(
  title: string,
  path: string,
  options: BrowserContextOptions,
  run: (page: Page) => Promise<void>,
): void {
  test(title, async () => {
    if (!browser) return skip('there is no Chromium: set CHROME_PATH')
    const context = await browser.newContext(options)
    const { page, said } = await openPage(context, server.url + path)
    await run(page)
    assert.equal(said, [])
    await context.close()
  })
}

/** The element that has the focus, as a selector. */
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.id || document.activeElement?.className)

inBrowser(
  'the search opens on Ctrl+K, moves by arrows, and closes on Esc',
  '/',
  wide,
  async page => {
    await page.locator('#\\~find').focus()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('logs')
    await page.waitForSelector('#\\~search [role=option][aria-selected=true]')
    assert.match(
      (await page.locator('#\\~search [role=status]').textContent()) ?? '',
      /3\+ results/,
    )
    await page.keyboard.press('ArrowDown')
    assert.is(await page.getAttribute('#\\~search input', 'aria-activedescendant'), '~hit-1')
    assert.equal(await inspect(page), [])
    await page.keyboard.press('Escape')
    assert.is(await page.locator('#\\~search').isVisible(), false)
    assert.is(await focused(page), '~find')
    await page.keyboard.press('/')
    assert.is(await page.inputValue('#\\~search input'), 'logs')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/hit/1')
  },
)

inBrowser(
  'a shut entry of the list opens in its place, by the keyboard too',
  '/',
  wide,
  async page => {
    const twist = page.locator('.twist').first()
    await twist.focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector('.twist[aria-expanded=true] + ul')
    assert.equal(await inspect(page), [])
    await page.keyboard.press('Enter')
    assert.is(await twist.getAttribute('aria-expanded'), 'false')
  },
)

inBrowser('tabs of one name switch together, and are remembered', '/', wide, async page => {
  await page.locator('.tabs summary', { hasText: 'yarn' }).first().click()
  const open = () => page.locator('.tabs details[open] > summary').allTextContents()
  assert.equal(await open(), ['yarn', 'yarn'])
  await page.reload()
  assert.equal(await open(), ['yarn', 'yarn'])
})

inBrowser(
  'the chosen scheme holds before the first paint of the next page',
  '/',
  wide,
  async page => {
    await page.locator('[popovertarget="~schemes"]').click()
    assert.equal(await inspect(page), [])
    await page.locator('[data-scheme=dark]').click()
    await page.reload()
    assert.is(await page.getAttribute('html', 'data-theme'), 'dark')
  },
)

inBrowser(
  'a closed announcement stays closed, and buttons step through changes',
  '/notices',
  wide,
  async page => {
    await page.locator('#\\~close-announcement').click()
    await page.reload()
    assert.is(await page.locator('.announcement').isVisible(), false)
    await page.locator('[data-step="1"]').click()
    assert.is(await focused(page), 'change-1')
    await page.locator('[data-step="-1"]').click()
    const marks = await page.locator('.prose .change').count()
    assert.is(await focused(page), `change-${marks}`)
  },
)

inBrowser(
  'a footnote shows beside its mark, and feedback is sent in place',
  '/',
  wide,
  async page => {
    await page.locator('a[href="#note:1"]').click()
    assert.match(
      (await page.locator('.note-box').textContent()) ?? '',
      /On Windows it is elsewhere/,
    )
    await page.keyboard.press('Escape')
    await page.locator('.face.yes').click()
    await page.waitForSelector('text=Thank you.')
  },
)

for (const scripts of [true, false])
  inBrowser(
    `drawers and menus of a phone open and close ${scripts ? 'with' : 'without'} a script`,
    '/',
    { ...phone, javaScriptEnabled: scripts },
    async page => {
      for (const drawer of ['pages', 'outline', 'links', 'actions']) {
        const button = page.locator(`[popovertarget="~${drawer}"]`)
        await button.focus()
        await page.keyboard.press('Enter')
        assert.is(await page.locator(`#\\~${drawer}`).isVisible(), true, drawer)
        if (scripts) assert.equal(await inspect(page), [], drawer)
        await page.keyboard.press('Escape')
        assert.is(await page.locator(`#\\~${drawer}`).isVisible(), false, drawer)
      }

      await page.locator('.tabs summary', { hasText: 'yarn' }).first().click()
      assert.is(await page.locator('.tabs details').nth(1).getAttribute('open'), '')
    },
  )

test.run()
