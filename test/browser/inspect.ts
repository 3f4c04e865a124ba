import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Functions that run in the page name the functions in them with this helper of the compiler. */
const nameHelper = 'globalThis.__name = named => named'

/**
 * Collects layout shifts from the first paint to the first input, but for those of a few pixels: when
 * the machine is slow, what a script adds to the header comes after the first paint. What an input
 * fetches may arrive later than the half second in which browsers do not count a shift.
 */
const watchShifts = `let firstInput = Infinity
for (const type of ['pointerdown', 'keydown'])
  addEventListener(type, event => { firstInput = Math.min(firstInput, event.timeStamp) }, true)
const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ')
const describe = ({ node, previousRect, currentRect }) =>
  (node?.outerHTML?.slice(0, 60) ?? '') + ' from ' + place(previousRect) + ' to ' + place(currentRect)
new PerformanceObserver(list => {
  for (const entry of list.getEntries())
    if (entry.startTime < firstInput && !entry.hadRecentInput && entry.value >= 0.005)
      (globalThis.shifts ??= []).push(entry.value.toFixed(4) + ' ' + entry.sources.map(describe).join(', '))
}).observe({ type: 'layout-shift', buffered: true })`

type Opening = {
  /** The expected status: the console reports others than 2xx. */
  status?: number
  /** The same of a form that is sent from the page, to its own address. */
  refused?: number
}

/**
 * Opens a page, and collects what it writes to the console, and which of its requests leave the
 * server.
 */
export async function openPage(
  context: BrowserContext,
  url: string,
  { status = 200, refused = status }: Opening = {},
): Promise<{ page: Page; said: string[] }> {
  const page = await context.newPage()
  const said: string[] = []
  page.on('console', message => {
    const isExpected =
      message.location().url === url &&
      [status, refused].some(each => message.text().includes(`status of ${each}`))
    if (!isExpected) said.push(message.text())
  })
  page.on('pageerror', error => said.push(error.message))
  page.on('request', request => {
    if (!request.url().startsWith(new URL(url).origin)) said.push(`request to ${request.url()}`)
  })
  await page.addInitScript(`${nameHelper}\n${watchShifts}`)
  const answer = await page.goto(url, { waitUntil: 'load' })
  if (answer?.status() !== status) said.push(`status ${answer?.status()}`)

  return { page, said }
}

/**
 * Returns what is wrong with a page as it stands: rules of axe, width, headings, targets, images,
 * layout shifts.
 */
export async function inspect(page: Page, { forced = false } = {}): Promise<string[]> {
  // By the debugger's channel: the policy of the page forbids scripts of others.
  await page.evaluate(axe)
  const broken = await page.evaluate(
    async ({ tags, rules }) => {
      type Axe = {
        run: (o: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
      }
      const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({
        runOnly: { type: 'tag', values: tags },
        rules,
        resultTypes: ['violations'],
        // Frames have no origin that axe could send its messages to.
        iframes: false,
      })

      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
      )
    },
    // In forced colours, what axe reads is not what is painted.
    { tags, rules: { 'color-contrast': { enabled: !forced } } },
  )

  return [...broken, ...(await page.evaluate(measure))]
}

/** Runs in the page. Returns what is wrong with its sizes. */
function measure(): string[] {
  const problems: string[] = []
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth) {
    const wide = [...document.querySelectorAll('body *')].filter(element => {
      const { left, right } = element.getBoundingClientRect()
      return right > clientWidth + 1 || left < -1
    })
    problems.push(
      `${scrollWidth} px wide: ${wide.slice(0, 5).map(e => `${e.tagName}.${e.className}`)}`,
    )
  }

  const titles = document.querySelectorAll('h1').length
  if (titles !== 1) problems.push(`${titles} h1`)

  const isShown = (element: Element) =>
    element.getBoundingClientRect().width > 1 &&
    element.checkVisibility({ visibilityProperty: true })

  for (const button of document.querySelectorAll('button, summary, nav a, .btn')) {
    const { width, height } = button.getBoundingClientRect()
    if (isShown(button) && (width < 23.9 || height < 23.9))
      problems.push(`target of ${width} × ${height} px: ${button.outerHTML.slice(0, 80)}`)
  }

  for (const image of document.images) {
    const isSized = image.hasAttribute('height') || image.closest('.brand')
    if (!isSized) problems.push(`image without a size: ${image.outerHTML.slice(0, 80)}`)
    if (isShown(image) && image.complete && image.naturalWidth === 0)
      problems.push(`broken image: ${image.outerHTML.slice(0, 80)}`)
  }

  // The frame of a diagram takes its height once it is drawn.
  const isDrawn = document.querySelector('.diagram iframe') !== null
  const { shifts = [] } = isDrawn ? {} : (globalThis as { shifts?: string[] })

  return [...problems, ...shifts.map(shift => `layout shift of ${shift}`)]
}

/**
 * Returns paragraphs whose lines are shorter than 45 or longer than 85 characters on average,
 * without their last line.
 */
export function inspectLines(page: Page): Promise<string[]> {
  return page.evaluate(measureLines)
}

/** Runs in the page, for text from left to right. */
function measureLines(): string[] {
  const range = document.createRange()
  return [...document.querySelectorAll('.prose > p, .prose > ul > li')].flatMap(paragraph => {
    const lines = [0]
    let before = 0
    const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT)

    for (let node = walker.nextNode(); node; node = walker.nextNode())
      for (const { index, 0: word } of (node.textContent ?? '').matchAll(/\S+\s*/g)) {
        range.setStart(node, index)
        range.setEnd(node, index + word.trimEnd().length)
        const { left } = range.getBoundingClientRect()
        if (left < before) lines.push(0)
        before = left
        lines[lines.length - 1]! += word.length
      }

    const whole = lines.slice(0, -1)
    if (whole.length < 3) return []

    const average = whole.reduce((sum, length) => sum + length, 0) / whole.length
    const isGood = average >= 45 && average <= 85

    return isGood
      ? []
      : [`lines of ${average.toFixed(1)} characters: ${paragraph.textContent?.slice(0, 60)}`]
  })
}
