import type { Browser, Page } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeSpace } from '../api/change-requests/workbench.ts'
import { chromiumPath, startChromium } from '../browser/chromium.ts'
import { startApp } from '../support/app.ts'
import { readIndependently } from '../support/git/repo.ts'
import { skip } from '../support/skip.ts'

const app = await startApp()
const { admin } = app
let browser: Browser | undefined
test.before(async () => {
  if (chromiumPath) browser = await startChromium()
})
test.after(async () => {
  await browser?.close()
  await app.stop()
})

const text = '# Install\r\n\r\nOld words.\r\n\r\nSecond paragraph.\r\n'

/** Opens the editor of a page of a new space in a browser. */
async function openEditor(name: string) {
  const space = await makeSpace(app)
  await space.commit({
    'README.md': '# Docs\n',
    'SUMMARY.md': '# Table of contents\n\n* [Docs](README.md)\n* [Install](install.md)\n',
    'install.md': text,
  })
  const { body } = await admin.get(`/v1/spaces/${space.id}/content/path/install`)
  const page = await browser!.newPage()
  const said: string[] = []
  page.on('console', message => said.push(message.text()))
  page.on('pageerror', error => said.push(String(error)))
  await page.goto(`${app.url}/sso/sign-in`)
  await page.fill('[name=token]', space.user(name, 'edit').token)
  await page.click('button[type=submit]')
  await page.goto(`${app.url}/app/s/${space.id}/edit/${body.id}`)
  await page.click('.cm-content')
  await page.keyboard.press('Control+Home')
  return { space, page, said }
}

const status = (page: Page, words: RegExp) =>
  page.locator('[data-editor-status]', { hasText: words }).waitFor()

test('a page is written with its preview, a block and a link, and saved with Ctrl+S', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const { space, page, said } = await openEditor('Una')
  // The editor ignores Enter for a moment after its list opens; a click counts at once.
  await page.keyboard.type('/tip')
  await page.locator('.cm-tooltip-autocomplete li', { hasText: /tip/i }).first().click()
  await page.keyboard.type('See [[Doc')
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'Docs' }).first().click()
  await page.locator('[data-editor-preview] .hint.success a', { hasText: 'Docs' }).waitFor()
  await page.keyboard.press('Control+s')
  await status(page, /Saved in #1/)
  assert.match(page.url(), /\/changes\/1\/edit\//)

  const { body } = await admin.get(`/v1/spaces/${space.id}/change-requests/1`)
  const saved = await readIndependently(space.repo, body.revision, 'install.md')
  const hint = '{% hint style="success" %}\r\nSee [Docs](README.md)\r\n{% endhint %}\r\n\r\n'
  assert.is(saved.toString(), text.replace('Old', `${hint}Old`))
  assert.equal(said, [])
  await page.close()
})

test('a text that is not saved is there again after a reload', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const { page } = await openEditor('Dua')
  await page.keyboard.type('Unsaved. ')
  await page.locator('[data-editor-preview]', { hasText: 'Unsaved.' }).waitFor()
  page.on('dialog', dialog => dialog.accept())
  await page.reload()
  await page.locator('.editor .notice', { hasText: 'had not saved' }).waitFor()
  await page.locator('.cm-content', { hasText: 'Unsaved. Old words.' }).waitFor()
  await page.click('button[value=review]')
  await page.waitForURL(/\/changes\/1$/)
  await page.close()
})

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Pastes or drops a file on the text, as a person does it. */
const give = (page: Page, event: 'paste' | 'drop', name: string, type: string) =>
  page.evaluate(
    ({ event, name, type, bytes }) => {
      const data = new DataTransfer()
      data.items.add(new File([Uint8Array.from(bytes)], name, { type }))
      const target = document.querySelector('.cm-content')!
      const { x, y } = target.getBoundingClientRect()
      const common = { bubbles: true, cancelable: true }
      target.dispatchEvent(
        event === 'paste'
          ? new ClipboardEvent('paste', { ...common, clipboardData: data })
          : new DragEvent('drop', {
              ...common,
              dataTransfer: data,
              clientX: x + 5,
              clientY: y + 5,
            }),
      )
    },
    { event, name, type, bytes: [...png] },
  )

test('images are chosen, pasted and dropped, shown at once, and saved with the text', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const { space, page, said } = await openEditor('Bild')
  const button = page.getByRole('button', { name: 'Image (up to 50 MB each)' })
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()])
  await chooser.setFiles({ name: 'My photo.png', mimeType: 'image/png', buffer: png })
  await status(page, /The image was added/)
  await page.locator('[data-editor-preview] img[alt="My photo"]').waitFor()
  const isLoaded = () =>
    page
      .locator('[data-editor-preview] img[alt="My photo"]')
      .evaluate(image => (image as HTMLImageElement).decode().then(() => true))
  assert.ok(await isLoaded())

  await give(page, 'paste', 'image.png', 'image/png')
  await page.locator('[data-editor-preview] img[alt="image"]').waitFor()
  await give(page, 'drop', 'dropped.png', 'image/png')
  await page.locator('[data-editor-preview] img[alt="dropped"]').waitFor()
  await give(page, 'drop', 'page.tiff', 'image/tiff')
  await status(page, /is not an image that pages show/)

  await page.keyboard.press('Control+s')
  await status(page, /Saved in #1/)
  await page.locator('.cm-content', { hasText: '.gitbook/assets/My-photo.png' }).waitFor()
  assert.ok(await isLoaded())
  const { body } = await admin.get(`/v1/spaces/${space.id}/change-requests/1`)
  for (const name of ['My-photo.png', 'image.png', 'dropped.png'])
    assert.equal(await readIndependently(space.repo, body.revision, `.gitbook/assets/${name}`), png)
  const saved = String(await readIndependently(space.repo, body.revision, 'install.md'))
  assert.match(saved, /!\[image\]\(\.gitbook\/assets\/image\.png\)/)
  assert.equal(said, [])
  await page.close()
})

test('on a narrow screen one of source and preview is shown, and the message says what changed', async () => {
  if (!browser) return skip('there is no Chromium: set CHROME_PATH')
  const { page, space, said } = await openEditor('Enno')
  await page.setViewportSize({ width: 820, height: 900 })
  const [source, preview] = [page.locator('.cm-content'), page.locator('[data-editor-preview]')]
  assert.equal([await source.isVisible(), await preview.isVisible()], [true, false])
  await page.keyboard.type('Better. ')
  assert.is(await page.inputValue('#message'), 'Update Install')
  await page.getByRole('button', { name: 'Preview', pressed: false }).click()
  await preview.getByText('Better. Old words.').waitFor()
  assert.equal([await source.isVisible(), await preview.isVisible()], [false, true])
  await page.getByRole('button', { name: 'Write', pressed: false }).click()

  await page.fill('#message', 'Say it better')
  await source.click()
  await page.keyboard.type('Much ')
  assert.is(await page.inputValue('#message'), 'Say it better')
  await page.keyboard.press('Control+s')
  await status(page, /Saved in #1/)
  assert.is(await page.inputValue('#message'), '')
  const { body } = await admin.get(`/v1/spaces/${space.id}/change-requests/1`)
  const { body: revision } = await admin.get(`/v1/spaces/${space.id}/revisions/${body.revision}`)
  assert.is(revision.git.message.split('\n')[0], 'Say it better')
  await page.setViewportSize({ width: 1440, height: 900 })
  assert.equal([await source.isVisible(), await preview.isVisible()], [true, true])
  assert.equal(said, [])
  await page.close()
})

test.run()
