import type { Browser, Page } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { chromiumPath, startChromium } from '../../browser/chromium.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'
import { hostilePages } from '../../support/html/hostile-pages.ts'
import { codePages, largePages } from '../../support/html/large-pages.ts'
import { purifier, purify } from '../../support/html/purify.ts'
import { pageHtml } from '../../support/html/write.ts'
import { isLongRun } from '../../support/long-run.ts'
import { skip } from '../../support/skip.ts'

const empty = new Set(['br', 'col', 'hr', 'img', 'input', 'source', 'track', 'wbr'])

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
let page: Page
const dialogs: string[] = []

test.before(async () => {
  if (!chromiumPath) return
  browser = await startChromium()
  page = await browser.newPage()
  await page.addInitScript('globalThis.__name = named => named')
  await page.route('**/*', route => route.abort())
  page.on('dialog', dialog => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
})
test.after(async () => {
  await browser?.close()
})

/** Shows HTML of the writer in a page without a policy: whatever could run, would. */
const show = (html: string) =>
  page.setContent(`<!doctype html><title>a</title><body><main>${html}</main>`, {
    waitUntil: 'domcontentloaded',
  })

/** Runs in the page. Returns what became of the HTML. */
function lookAround() {
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

  for (const each of main.querySelectorAll<HTMLElement>('summary, input, button, label'))
    each.click()

  return {
    elements,
    opened: opened.map(({ href }) => href),
    after: document.body.children.length,
    ran: (globalThis as { ran?: unknown }).ran,
    intact: typeof document.getElementById === 'function' && document.forms.length === 0,
    styled:
      document.styleSheets.length +
      document.querySelectorAll('[style], [bgcolor], [color], [background]').length,
    ground: getComputedStyle(main).backgroundColor,
  }
}

test('in a browser, no script or style of a page works, and its elements are those of the HTML', async () => {
  if (!browser) return skip('there is no Chromium')

  for (const [name, markdown] of Object.entries(hostilePages)) {
    const { html } = pageHtml(markdown)
    await show(html)
    const found = await page.evaluate(lookAround)
    assert.equal(found.elements, elementsIn(html), name)
    assert.equal(found.opened, [], name)
    assert.is(found.after, 1, name)
    assert.is(found.ran, undefined, name)
    assert.ok(found.intact, name)
    assert.equal([found.styled, found.ground], [0, 'rgba(0, 0, 0, 0)'], name)
  }

  assert.equal(dialogs, [])
})

test('a sanitiser takes nothing away from the HTML of hostile pages', async () => {
  if (!browser) return skip('there is no Chromium')
  await show('')
  await page.evaluate(purifier)

  for (const [name, markdown] of Object.entries(hostilePages))
    assert.equal(
      await page.evaluate(purify, pageHtml(markdown).html),
      { removed: [], isSame: true },
      name,
    )
})

const cells = '100,000 cells of a table'
const pages = isLongRun
  ? { ...largePages, ...codePages }
  : { [cells]: largePages[cells]!, PHP: codePages.PHP! }

test('the largest pages are written and parsed within bounds', async () => {
  if (!browser) return skip('there is no Chromium')
  for (const [name, markdown] of Object.entries(pages)) {
    let html = ''
    const time = leastCpuTime(() => {
      html = pageHtml(markdown).html
    }, 8000)
    assert.ok(time < 8000, `${name}: ${time} ms`)
    assert.ok(Buffer.byteLength(html) <= 2 * 1024 * 1024, name)
    await show(html)
    const found = await page.evaluate(lookAround)

    assert.is(found.elements.length, elementsIn(html).length, name)
    assert.equal([found.opened, found.after, found.ran, found.styled], [[], 1, undefined, 0], name)
    await page.evaluate(purifier)
    assert.equal(await page.evaluate(purify, html), { removed: [], isSame: true }, name)
  }
})

test.run()
