import type { Browser, Page } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { workbenchAssets } from '../../../src/workbench/assets/assets.ts'
import { chromiumPath, startChromium } from '../../browser/chromium.ts'
import { startApp } from '../../support/app.ts'
import { skip } from '../../support/skip.ts'
import { openStage } from './stage.ts'

const app = await startApp()
const stage = await openStage(app, {
  'README.md': '# Home\n\nFirst.\n\nSecond.\n\nThird.\n\nFourth.\n',
  'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n* [Install](install.md)\n',
  'install.md': '# Install\n\nRun it.\n',
})
const grace = await stage.member('Grace', 'review')
const lea = await stage.member('Lea', 'edit')

let browser: Browser | undefined
test.before(async () => {
  if (chromiumPath) browser = await startChromium()
})
test.after(async () => {
  await browser?.close()
  await app.stop()
})

/** Opens a page of the workbench as a reviewer. Returns what its console says, too. */
async function openAs(token: string, path: string): Promise<{ page: Page; said: string[] }> {
  const page = await browser!.newPage()
  const said: string[] = []
  page.on('console', message => said.push(message.text()))
  page.on('pageerror', error => said.push(String(error)))
  await page.goto(`${app.url}/sso/sign-in`)
  await page.fill('[name=token]', token)
  await page.click('button[type=submit]')
  await page.goto(app.url + path)
  return { page, said }
}

test('the script of the first visit has at most 12 KB', async () => {
  const { length } = (await workbenchAssets()).script.brotli
  assert.ok(length <= 12 * 1024, `it has ${length} bytes`)
})

test('a reviewer reads, comments at a block, marks as viewed, approves and merges by keys', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const { path } = await stage.request(
    {
      'README.md': '# Home\n\nFirst!\n\nSecond.\n\nThird.\n\nFourth!\n',
      'install.md': '# Install\n\nRun it twice.\n',
    },
    lea,
  )
  const { page, said } = await openAs(grace.actor.token, `${path}/pages`)
  const focused = () => page.locator(':focus').textContent()

  await page.keyboard.press('n')
  assert.match((await focused()) ?? '', 'First')
  await page.keyboard.press('n')
  assert.match((await focused()) ?? '', 'Fourth')
  await page.keyboard.press('p')
  assert.match((await focused()) ?? '', 'First')
  await page.keyboard.press('c')
  await page.waitForURL(/at=block-/)
  await page.locator('.at-block textarea:focus').waitFor()
  await page.keyboard.type('Why? n j ?')
  await page.keyboard.press('Control+Enter')
  await page.locator('.block .thread', { hasText: 'Why? n j ?' }).waitFor()

  await page.click('form.viewed button')
  await page.getByText('1 of 2 viewed').waitFor()
  await page.keyboard.press('?')
  await page.locator('dialog.keys', { hasText: 'go to the next change' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Escape')
  await page.locator('dialog.keys').waitFor({ state: 'detached' })
  await page.keyboard.press('j')
  await page.locator('h2', { hasText: 'Install' }).waitFor()
  await page.keyboard.press('k')
  await page.locator('.changed-head h2', { hasText: 'Home' }).waitFor()

  await page.goto(app.url + path)
  await page.getByLabel('Approve').check()
  await page.keyboard.press('c')
  await page.fill('form.answer textarea', 'Reads well.')
  await page.keyboard.press('Control+Enter')
  await page.getByText('You approved it.').waitFor()
  await page.click('.merge-box button.primary')
  await page.getByText('Merged by Grace').waitFor()
  assert.equal(said, [])
  await page.close()
})

test('the choices of a conflict are shown as they will read, and resolve it', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const { path } = await stage.request({ 'install.md': '# Install\n\nRun *mine*.\n' }, lea)
  await stage.commit({ 'install.md': '# Install\n\nRun *theirs*.\n' })
  const { page, said } = await openAs(lea.actor.token, `${path}/conflicts`)
  const result = page.locator('.result')

  await page.getByLabel('Published', { exact: true }).check()
  await result.locator('em', { hasText: 'theirs' }).waitFor()
  assert.not.ok(await page.getByLabel('Text to write instead').isVisible())
  await page.getByLabel('The text below').check()
  await page.getByLabel('Text to write instead').fill('Run **both**.')
  await page.keyboard.press('Tab')
  await result.locator('strong', { hasText: 'both' }).waitFor()
  await page.getByRole('status').getByText('The results follow your choices.').waitFor()

  await page.getByRole('button', { name: 'Show the result' }).click()
  await page.waitForLoadState()
  await result.locator('strong', { hasText: 'both' }).waitFor()
  await page.getByRole('button', { name: 'Resolve and update' }).click()
  await page.getByText('The conflicts are resolved').waitFor()
  assert.equal(said, [])
  await page.close()
})

test('two versions of an image are laid over each other', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const svg = (color: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60" fill="${color}"/></svg>`
  await stage.commit({ 'logo.svg': svg('red') })
  const { path } = await stage.request({ 'logo.svg': svg('blue') }, lea)
  const { page, said } = await openAs(grace.actor.token, `${path}/files`)
  await page.getByRole('button', { name: 'Lay over' }).click()
  await page.getByRole('slider').fill('80')
  assert.match((await page.locator('.image-pair').getAttribute('style')) ?? '', '80%')
  await page.getByRole('button', { name: 'Side by side' }).click()
  assert.is(await page.locator('.image-pair.is-over').count(), 0)
  assert.equal(said, [])
  await page.close()
})

test.run()
