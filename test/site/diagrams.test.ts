import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { chromiumPath, startChromium } from '../browser/chromium.ts'
import { inspect, openPage as openInBrowser } from '../browser/inspect.ts'
import { skip } from '../support/skip.ts'
import { until } from '../support/until.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'

const app = await siteApp()
let browser: Browser | undefined
test.before(async () => {
  if (chromiumPath) browser = await startChromium()
})
test.after(async () => {
  await browser?.close()
  await app.stop()
})

const flowchart = 'flowchart TD\n  A[Start & go] --> B{Works?}\n  B -->|yes| C[Done]\n  B -->|no| A'
const fence = (text: string): string => `\`\`\`mermaid\n${text}\n\`\`\`\n`
const files = {
  'README.md': `# Home\n\nA picture:\n\n${fence(flowchart)}`,
  'broken.md': `# Broken\n\n${fence('flowchart TD\n  A --> --> [')}`,
  'hostile.md': `# Hostile\n\n${fence(`%%{init: {"securityLevel": "loose", "theme": "forest"}}%%\nflowchart TD\n  A["<img src=x onerror='parent.postMessage({height: 4000}, &quot;*&quot;)'><script>top.location='https://evil.example/'</script>"] --> B\n  click B "javascript:alert(1)"`)}`,
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Broken](broken.md)\n* [Hostile](hostile.md)\n',
}
const { base } = await insertPublicSite(app, files)

const frameIn = (html: string): string => /<iframe[^>]* src="([^"]+)"/.exec(html)?.[1] ?? ''

test('a diagram is a frame without an origin, with its source below it', async () => {
  const page = await openPage(app, base)
  assert.match(
    page.text,
    /<iframe class="with-script" sandbox="allow-scripts" src="\/~stemma\/assets\/diagram\./,
  )
  assert.match(page.text, 'A[Start &amp; go] --&gt; B{Works?}')
  const frame = await openPage(app, frameIn(page.text))

  assert.is(frame.status, 200)
  assert.match(frame.headers.get('cache-control') ?? '', 'immutable')
  const policy = frame.headers.get('content-security-policy') ?? ''

  assert.match(policy, /^sandbox allow-scripts; default-src 'none'; script-src 'self'/)
  assert.not.match(frame.text, 'Start')
  assert.is((await openPage(app, '/~stemma/assets/diagram.000000000000.html')).status, 404)
  assert.is((await openPage(app, '/~stemma/assets/diagram-../../package.json')).status, 404)
})

/** Leaves out shifts of the layout: a frame takes the height of its diagram once that is drawn. */
const isNoShift = (problem: string): boolean => !problem.startsWith('layout shift')

/**
 * Adds a test with a page in the browser. It fails when the page writes to the console or breaks
 * its policy.
 */
function inBrowser(
  title: string,
  path: string,
  options: BrowserContextOptions,
  run: (page: Page, said: string[]) => Promise<void>,
): void {
  test(title, async () => {
    if (!browser) return skip('there is no Chromium: set CHROME_PATH')
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    const { page, said } = await openInBrowser(context, app.url + base + path)
    await run(page, said)
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/${title.replace(/\W+/g, '-')}.png` })
    assert.equal(said.filter(isNoShift), [])
    await context.close()
  })
}

/** The finished drawing: while the package measures labels, it draws in an element of its own. */
const drawn = (page: Page) => page.frameLocator('.diagram iframe').locator('body > svg')
const heightOf = async (page: Page): Promise<number> =>
  (await page.locator('.diagram iframe').boundingBox())?.height ?? 0

for (const colorScheme of ['light', 'dark'] as const)
  inBrowser(
    `a diagram is drawn (${colorScheme}), and its frame is as high as it`,
    '',
    { colorScheme },
    async page => {
      await drawn(page).waitFor()
      assert.match((await drawn(page).textContent()) ?? '', 'Start & go')
      await until('the frame is as high as the diagram', async () => {
        const { height = 0 } = (await drawn(page).boundingBox()) ?? {}
        return Math.abs(height - (await heightOf(page))) <= 1 || undefined
      })
      assert.equal((await inspect(page)).filter(isNoShift), [])
    },
  )

inBrowser(
  'a diagram is drawn again when the scheme is switched',
  '',
  { colorScheme: 'light' },
  async page => {
    await drawn(page).waitFor()
    const colors = () => drawn(page).locator('style').textContent()
    const before = await colors()
    await page.locator('[popovertarget="~schemes"]').click()
    await page.locator('[data-scheme=dark]').click()
    await until('other colors', async () => (await colors()) !== before || undefined)
  },
)

inBrowser('a diagram with a mistake is its source and a sentence', 'broken', {}, async page => {
  await page.locator('.diagram details[open]').waitFor()
  assert.is(await page.locator('.diagram iframe').isVisible(), false)
  assert.match((await page.locator('.diagram').textContent()) ?? '', 'cannot be drawn')
  assert.is(await page.locator('.diagram code').isVisible(), true)
})

inBrowser('a hostile diagram runs nothing', 'hostile', {}, async (page, said) => {
  await drawn(page).waitFor()
  const html = await drawn(page).evaluate(svg => svg.outerHTML)
  assert.not.match(html, /onerror|<script|javascript:/)
  assert.match(page.url(), app.url)

  // The package shows labels while it measures them: the policy of the frame blocks what they would
  // run or load.
  const isBlocked = (line: string): boolean =>
    line.includes('violates the following Content Security Policy')

  assert.equal(
    said.splice(0).filter(line => !isBlocked(line)),
    [],
  )
})

inBrowser('without a script the source is there', '', { javaScriptEnabled: false }, async page => {
  assert.is(await page.locator('.diagram iframe').isVisible(), false)
  await page.locator('.diagram summary').click()
  assert.is(await page.locator('.diagram code').isVisible(), true)
})

test.run()
