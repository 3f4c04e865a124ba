import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hostilePages } from '../../support/html/hostile-pages.ts'
import { pageHtml } from '../../support/html/write.ts'
import { skip } from '../../support/skip.ts'

const executablePath = process.env.CHROME_PATH ?? '/usr/bin/chromium'
const empty = new Set(['br', 'col', 'hr', 'img', 'input', 'wbr'])

/** Returns the elements of HTML in order, each with the number of elements around it. */
function elementsIn(html: string): string[] {
  const found: string[] = []
  let depth = 0
  for (const [, slash, name = '', closed] of html.matchAll(
    /<(\/?)([A-Za-z][A-Za-z0-9]*)(?:\s[^<>]*?)?(\/?)>/g,
  )) {
    if (slash) depth--
    else {
      found.push(`${depth} ${name.toLowerCase()}`)
      if (!closed && !empty.has(name)) depth++
    }
  }
  return found
}

let browser: Browser | undefined

test.before(async () => {
  if (!existsSync(executablePath)) return
  const args =
    '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'
  browser = await chromium.launch({ executablePath, headless: true, args: args.split(' ') })
})
test.after(async () => {
  await browser?.close()
})

test('in a browser, no script of a page runs, and its elements are those of the HTML', async () => {
  if (!browser) return skip('there is no Chromium')
  const page = await browser.newPage()
  await page.route('**/*', route => route.abort())
  const dialogs: string[] = []
  page.on('dialog', dialog => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  for (const [name, markdown] of Object.entries(hostilePages)) {
    const { html } = pageHtml(markdown)
    await page.setContent(`<!doctype html><title>a</title><body><main>${html}</main>`, {
      waitUntil: 'domcontentloaded',
    })
    const found = await page.evaluate(() => {
      const main = document.querySelector('main')!
      const elements: string[] = []
      const walk = (node: Element, depth: number): void => {
        for (const inner of node.children) {
          elements.push(`${depth} ${inner.localName.toLowerCase()}`)
          walk(inner, depth + 1)
        }
      }
      walk(main, 0)
      const opened = [...main.querySelectorAll('a')].filter(({ protocol }) =>
        /^(?:javascript|data|vbscript|blob):$/.test(protocol),
      )
      for (const each of main.querySelectorAll<HTMLElement>('summary, input, button, label')) each.click()
      return {
        elements,
        opened: opened.map(({ href }) => href),
        after: document.body.children.length,
        ran: (globalThis as { ran?: unknown }).ran,
        intact: typeof document.getElementById === 'function' && document.forms.length === 0,
      }
    })
    assert.equal(found.elements, elementsIn(html), name)
    assert.equal(found.opened, [], name)
    assert.is(found.after, 1, name)
    assert.is(found.ran, undefined, name)
    assert.ok(found.intact, name)
  }
  assert.equal(dialogs, [])
  await page.close()
})

test.run()
