import type { Browser } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { fontNames } from '../../src/site/assets/build-fonts.ts'
import { fontSheet } from '../../src/site/assets/fonts.ts'
import { chromiumPath, startChromium } from '../browser/chromium.ts'
import { openPage as openInBrowser } from '../browser/inspect.ts'
import { commitFiles } from '../support/git/repo.ts'
import { isLongRun } from '../support/long-run.ts'
import { skip } from '../support/skip.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const text = '# Home\n\nWords, *slanted* and **strong**, and `code`.\n'
const { base, site, space } = await insertPublicSite(app, { 'README.md': text })
const path = `/v1/orgs/acme/sites/${site}/customization`

async function setFonts(styling: Record<string, unknown>): Promise<void> {
  const { body } = await app.admin.get(path)
  const { fontDelivery: _, ...before } = body.styling
  const put = await app.admin.put(path, { ...body, styling: { ...before, ...styling } })
  assert.is(put.status, 200, put.text)
}

/** Opens the page with fonts that arrive late. Returns how much the layout shifts. */
async function shiftOf(browser: Browser): Promise<number> {
  const page = await (
    await browser.newContext({ viewport: { width: 1280, height: 900 } })
  ).newPage()
  await page.addInitScript(`globalThis.moved = 0; new PerformanceObserver(list => {
    for (const { value } of list.getEntries()) globalThis.moved += value
  }).observe({ type: 'layout-shift', buffered: true })`)
  let arrive = () => {}
  const arrived = new Promise<void>(resolve => {
    arrive = resolve
  })

  await page.route('**/*.woff2', async route => {
    await arrived
    await route.continue()
  })
  await page.goto(app.url + base, { waitUntil: 'commit' })
  await page.locator('.prose').waitFor()

  // The page is drawn with the font of the system once the time has passed in which text is not
  // shown.
  await page.waitForTimeout(400)
  arrive()
  await page.waitForFunction(() => [...document.fonts].some(({ status }) => status === 'loaded'))
  await page.evaluate(() => document.fonts.ready)
  await page.waitForTimeout(100)
  const moved = await page.evaluate(() => (globalThis as unknown as { moved: number }).moved)

  await page.context().close()

  return moved
}

const sheetsOf = async (): Promise<string[]> =>
  [
    ...(await openPage(app, base)).text.matchAll(
      /<link rel="stylesheet" href="([^"]*\/fonts-[^"]+)"/g,
    ),
  ].map(([, href]) => href!)

test('pages load no font while the settings have the default ones', async () => {
  assert.equal(await sheetsOf(), [])
})

test('each font with a package has a sheet whose files are there', async () => {
  for (const name of fontNames) {
    const sheet = await fontSheet(name)
    if (sheet === undefined) return skip(`the package of ${name} is not installed`)
    const { status, headers, text: css } = await openPage(app, `/~stemma/assets/${sheet}`)
    assert.equal([status, headers.get('content-type')], [200, 'text/css; charset=utf-8'], name)
    const files = [...css.matchAll(/url\(([^)]+)\)/g)].map(([, file]) => file!)

    assert.ok(
      files.some(file => /-latin-(?:wght|400)-normal/.test(file)),
      name,
    )
    const [first = ''] = files
    const font = await openPage(app, `/~stemma/assets/${first}`)

    assert.equal([font.status, font.headers.get('content-type')], [200, 'font/woff2'], first)
    assert.match(font.headers.get('cache-control') ?? '', 'immutable')
    assert.is(font.bytes.toString('latin1', 0, 4), 'wOF2')
  }
})

test('other fonts are served, the default ones if the settings say so, and none for "system"', async () => {
  if (!(await fontSheet('Lato'))) return skip('no fonts are installed')
  const names = async () => (await sheetsOf()).map(href => /fonts-(\w+)/.exec(href)?.[1])
  await setFonts({ font: 'Lato', monospaceFont: 'FiraCode' })
  assert.equal(await names(), ['Lato', 'FiraCode'])
  await setFonts({ font: 'Lato', monospaceFont: 'FiraCode', fontDelivery: 'system' })
  assert.equal(await names(), [])
  await setFonts({ font: 'Inter', monospaceFont: 'IBMPlexMono', fontDelivery: 'served' })
  assert.equal(await names(), ['Inter', 'IBMPlexMono'])
  await setFonts({ font: 'Ubuntu' })
  assert.equal(await names(), ['IBMPlexMono'].slice(1))
})

test('a browser shows the served fonts, and loads only the letters of the page', async () => {
  if (!chromiumPath) return skip('there is no Chromium: set CHROME_PATH')
  if (!(await fontSheet('Lato'))) return skip('no fonts are installed')
  await setFonts({ font: 'Merriweather', monospaceFont: 'SpaceMono' })
  const browser = await startChromium()

  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 700 } })
    const { page, said } = await openInBrowser(context, app.url + base)
    await page.evaluate(() => document.fonts.ready)
    const loaded = await page.evaluate(() =>
      [...document.fonts]
        .filter(({ family, status }) => status === 'loaded' && !family.includes('fallback'))
        .map(({ family, style }) => `${family} ${style}`),
    )
    const expected = ['"Space Mono" normal', 'Merriweather italic', 'Merriweather normal']

    assert.equal(
      [...new Set(loaded)].map(name => name.replaceAll('"', '')).sort(),
      expected.map(name => name.replaceAll('"', '')).sort(),
    )
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/fonts.png` })
    assert.equal(said, [])
  } finally {
    await browser.close()
  }
})

test('text does not move when the served fonts arrive', async () => {
  if (!chromiumPath) return skip('there is no Chromium: set CHROME_PATH')
  if (!(await fontSheet('Lato'))) return skip('no fonts are installed')
  const words =
    'Every revision of a space is a commit, and every change request is a branch of its repository. '
  await commitFiles(spaceRepository(app.ctx, space), {
    'README.md': `# Home of the guide\n\n${`${words}\n\n## ${words}\n\n**${words}** and *${words}* and \`a code of some length\`.\n\n`.repeat(4)}`,
  })
  const pairs: [string, string][] = [
    ['Merriweather', 'SpaceMono'],
    ['Inter', 'Inconsolata'],
    ...(isLongRun
      ? fontNames
          .slice(0, 13)
          .map((name, at): [string, string] => [name, fontNames[13 + (at % 8)]!])
      : []),
  ]
  const browser = await startChromium()

  try {
    for (const [font, monospaceFont] of pairs) {
      await setFonts({ font, monospaceFont, fontDelivery: 'served' })
      const moved = await shiftOf(browser)
      // Without fonts of the same metrics it is 0.14 for the first pair. A word that just fits may
      // still change its line.
      assert.ok(moved < 0.03, `${font} ${monospaceFont}: ${moved}`)
    }
  } finally {
    await browser.close()
  }
})

test.run()
