import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Opens a page, and collects what it writes to the console, and which of its requests leave the server. */
export async function openPage(
  context: BrowserContext,
  url: string,
): Promise<{ page: Page; said: string[] }> {
  const page = await context.newPage()
  const said: string[] = []
  page.on('console', message => said.push(message.text()))
  page.on('pageerror', error => said.push(error.message))
  page.on('request', request => {
    if (!request.url().startsWith(new URL(url).origin)) said.push(`request to ${request.url()}`)
  })
  await page.goto(url, { waitUntil: 'load' })
  return { page, said }
}

/** Returns what is wrong with a page as it stands: rules of axe, width, headings, small targets, images without a size. */
export async function inspect(page: Page): Promise<string[]> {
  // By the debugger's channel: the policy of the page forbids scripts of others.
  await page.evaluate(axe)
  return page.evaluate(async tags => {
    type Axe = { run: (o: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({
      runOnly: { type: 'tag', values: tags },
      resultTypes: ['violations'],
    })
    const problems = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
    )
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) {
      const wide = [...document.querySelectorAll('body *')].filter(
        element => element.getBoundingClientRect().right > clientWidth + 1,
      )
      problems.push(`${scrollWidth} px wide: ${wide.slice(0, 5).map(e => `${e.tagName}.${e.className}`)}`)
    }
    const titles = document.querySelectorAll('h1').length
    if (titles !== 1) problems.push(`${titles} h1`)
    for (const button of document.querySelectorAll('button, summary, nav a, .btn')) {
      const { width, height } = button.getBoundingClientRect()
      const shown = width > 1 && button.checkVisibility({ visibilityProperty: true })
      if (shown && (width < 24 || height < 23.9))
        problems.push(`target of ${width} × ${height} px: ${button.outerHTML.slice(0, 80)}`)
    }
    return problems
  }, tags)
}
