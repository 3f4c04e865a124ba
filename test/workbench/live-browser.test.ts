import type { Browser } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeSpace } from '../api/change-requests/workbench.ts'
import { chromiumPath, startChromium } from '../browser/chromium.ts'
import { putImportRun } from '../guards/rows.ts'
import { startApp } from '../support/app.ts'
import { skip } from '../support/skip.ts'

const app = await startApp()
let browser: Browser | undefined
test.before(async () => {
  if (chromiumPath) browser = await startChromium()
})
test.after(async () => {
  await browser?.close()
  await app.stop()
})

test('an open overview says that there are new commits, and shows them', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const space = await makeSpace(app)
  const writer = space.user('Una', 'edit')
  const path = `/v1/spaces/${space.id}/change-requests`
  const { body } = await writer.post(path, { subject: 'Words' })
  const page = await browser.newPage()
  const said: string[] = []
  page.on('console', message => said.push(message.text()))
  page.on('pageerror', error => said.push(String(error)))
  await page.goto(`${app.url}/sso/sign-in`)
  await page.fill('[name=token]', space.user('Ben', 'review').token)
  await page.click('button[type=submit]')
  await page.goto(`${app.url}/app/s/${space.id}/changes/${body.number}`)

  const add = async (title: string) => {
    const changes = [{ operation: 'insert_page', title, document: { markdown: 'Text.\n' } }]
    assert.is((await writer.post(`${path}/${body.number}/content`, { changes })).status, 200)
  }
  const message = (text: string) => page.getByRole('status').filter({ hasText: text })
  const title = page.getByRole('heading', { level: 1 })
  const before = await title.boundingBox()

  // It lies over the page, which does not move, until it is closed.
  await add('One')
  await message('1 new commit.').waitFor()
  assert.equal(await title.boundingBox(), before)
  await page.locator('.person button').first().focus()
  await page.keyboard.press('Tab')
  assert.is(await page.locator(':focus').textContent(), 'Show')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await message('1 new commit.').waitFor({ state: 'detached' })

  await add('Two')
  await message('2 new commits.').waitFor()
  await page.getByRole('link', { name: 'Show', exact: true }).click()
  await page.getByRole('link', { name: 'Pages 2' }).waitFor()
  assert.is(await page.locator('[data-live]').textContent(), '')
  assert.equal(said, [])
  await page.close()
})

test('an open page of an import that ends shows its end by itself', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const space = await makeSpace(app)
  const place = { organizationId: 'acme', spaceId: space.id }
  const run = putImportRun(app, place, app.admin.id)
  const page = await browser.newPage()
  await page.goto(`${app.url}/sso/sign-in`)
  await page.fill('[name=token]', app.admin.token)
  await page.click('button[type=submit]')
  await page.goto(`${app.url}/app/s/${space.id}/imports/${run}`)
  const button = page.getByRole('button', { name: 'Cancel the import' })
  await button.waitFor()

  await app.admin.post(`/v1/org/acme/imports/${run}/cancel`)
  await button.waitFor({ state: 'detached' })
  await page.locator('.note').filter({ hasText: 'The import was cancelled.' }).waitFor()
  await page.close()
})

test.run()
