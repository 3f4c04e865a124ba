import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkLive } from '../browser/check-live.ts'
import { chromiumPath, startChromium } from '../browser/chromium.ts'
import { openPage } from '../browser/inspect.ts'
import { type LiveSites, startLiveSites } from '../browser/live-site.ts'
import { liveStates } from '../browser/live-states.ts'
import { skip } from '../support/skip.ts'

let browser: Browser | undefined
let sites: LiveSites

test.before(async () => {
  if (!chromiumPath) return
  sites = await startLiveSites()
  browser = await startChromium()
})
test.after(async () => {
  await browser?.close()
  await sites?.app.stop()
})

test('a page on a phone in dark colors is sound, and Tab and Esc work on it', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const state = { ...liveStates.home!, keys: true }
  assert.equal(await checkLive(browser, sites, state, { width: 390, scheme: 'dark' }), [])
})

/**
 * Opens a page for the first time. Returns what it loads, and the number of elements around its
 * text.
 */
async function firstVisit(url: string) {
  const context = await browser!.newContext()
  const page = await context.newPage()
  const finished: Request[] = []
  page.on('requestfinished', request => finished.push(request))
  await page.goto(url, { waitUntil: 'networkidle' })
  const loaded = await Promise.all(
    finished.map(async request => ({
      type: request.resourceType(),
      bytes: (await request.sizes()).responseBodySize,
    })),
  )
  const frame = await page.locator('*:not(.prose *)').count()

  await context.close()
  const bytes = loaded.reduce((sum, each) => sum + each.bytes, 0)
  const html = loaded.find(({ type }) => type === 'document')?.bytes ?? Number.POSITIVE_INFINITY

  return { requests: loaded.length, bytes, html, frame }
}

test('a first visit has few bytes, requests and elements', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const { requests, bytes, html, frame } = await firstVisit(
    `${sites.manual}writing/search-and-links`,
  )
  assert.ok(requests <= 5, `${requests} requests`)
  assert.ok(html <= 6 * 1024, `${html} bytes of HTML`)
  assert.ok(bytes <= 17 * 1024, `${bytes} bytes`)
  assert.ok(frame <= 350, `${frame} elements around the text`)
})

test('a first visit of a page of 23 KB of Markdown has few bytes', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const { requests, bytes } = await firstVisit(`${sites.manual}workflows/guides/persistence`)
  assert.ok(requests <= 5, `${requests} requests`)
  assert.ok(bytes <= 26 * 1024, `${bytes} bytes`)
  assert.ok(bytes >= 16 * 1024, `${bytes} bytes: not the whole page`)
})

/** Runs in a browser without JavaScript. Nothing may be written to the console. */
async function withoutScript(
  path: (sites: LiveSites) => string,
  options: BrowserContextOptions,
  run: (page: Page) => Promise<void>,
): Promise<void> {
  // On a busy machine, Chromium writes to the console that it left out the transition to a page.
  const calm = { javaScriptEnabled: false, reducedMotion: 'reduce' } as const
  const context = await browser!.newContext({ ...options, ...calm })
  const { page, said } = await openPage(context, path(sites))
  await run(page)
  assert.equal(said, [])
  await context.close()
}

test('without a script, a reader opens a branch, searches, and changes the variant', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const wide = { viewport: { width: 1440, height: 900 } }
  await withoutScript(
    ({ manual }) => `${manual}workflows`,
    wide,
    async page => {
      const branch = page.locator('.side .more:not(.open) > a').first()
      await branch.click()
      await page.waitForLoadState()
      assert.ok((await page.locator('.side .more.open > ul a:visible').count()) > 0)
      await page.locator('[id="~find"]').click()
      await page.locator('main input[type=search]').fill('reposotory')
      await page.keyboard.press('Enter')
      await page.locator('.count a', { hasText: 'repository' }).click()
      // The page before has hits too: a click on one would abort the way to this page.
      await page.waitForURL(/q=repository/)
      await page.waitForLoadState()
      await page.locator('.hits a').first().click()
      await page.locator('h1').waitFor()
    },
  )

  await withoutScript(
    ({ manual }) => `${manual}writing/git`,
    wide,
    async page => {
      await page.locator('[popovertarget="~variants"]').click()
      await page.locator('[id="~variants"] a', { hasText: 'Version 1' }).click()
      assert.match((await page.locator('main').textContent()) ?? '', /Old words|first version/)
    },
  )
})

test('without a script, a reader opens drawers, tabs and boxes on a phone', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  await withoutScript(
    ({ manual }) => `${manual}format/every-block`,
    { viewport: { width: 390, height: 800 } },
    async page => {
      for (const drawer of ['pages', 'outline', 'links', 'actions']) {
        await page.locator(`[popovertarget="~${drawer}"]`).click()
        assert.ok(await page.locator(`[id="~${drawer}"]`).isVisible(), drawer)
        await page.keyboard.press('Escape')
        assert.not.ok(await page.locator(`[id="~${drawer}"]`).isVisible(), drawer)
      }

      await page.locator('.tabs summary', { hasText: 'yarn' }).first().click()
      assert.ok(await page.locator('text=With yarn:').isVisible())
      await page.locator('summary', { hasText: 'What is a buffer?' }).click()
      assert.ok(await page.locator('text=Chunks of events').isVisible())
      assert.not.ok(
        await page.locator('.copy, .twist, [popovertarget="~schemes"]').first().isVisible(),
      )
    },
  )
})

test.run()
