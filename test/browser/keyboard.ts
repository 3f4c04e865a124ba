import type { Page } from 'playwright-core'

/** What the keyboard reaches: an element by its place in the document, and how it is seen. */
type Stop = { at: number; html: string; problem: string | undefined }

/**
 * Returns what is wrong when a reader walks through a page with Tab: the order, rings that are not
 * seen, stops left out.
 */
export async function walk(page: Page): Promise<string[]> {
  const expected = await page.evaluate(tabStops)
  await page.evaluate(() => {
    ;(document.activeElement as HTMLElement | null)?.blur()
    scrollTo(0, 0)
  })
  const problems: string[] = []
  const seen: number[] = []

  for (let steps = 0; steps < expected.length + 20; steps++) {
    await page.keyboard.press('Tab')
    const stop = await stopAfterTab(page)
    if (!stop) break
    if (stop.problem) problems.push(`${stop.problem}: ${stop.html}`)

    if (seen.length > 0 && stop.at < seen.at(-1)!) {
      if (stop.at === seen[0]) break
      problems.push(`focus goes back to ${stop.html}`)
    }

    seen.push(stop.at)
  }

  const missed = expected.filter(({ at }) => !seen.includes(at))

  return [...problems, ...missed.map(({ html }) => `Tab does not reach ${html}`)]
}

/** The focus leaves a frame of another origin a moment after the key was pressed. */
async function stopAfterTab(page: Page): Promise<Stop | undefined> {
  for (let tries = 0; tries < 20; tries++) {
    const stop = await page.evaluate(focusedStop)
    if (stop) return stop
    await page.waitForTimeout(25)
  }
  return undefined
}

/** Runs in the page. Returns the elements that Tab should reach, in order. */
function tabStops(): Omit<Stop, 'problem'>[] {
  /** Of the radio buttons of a group, Tab reaches the chosen one, or else the first one. */
  const takesTab = (input: HTMLInputElement): boolean => {
    if (input.type !== 'radio') return true
    const group = [...(input.form?.querySelectorAll<HTMLInputElement>('[type=radio]') ?? [])]
    const same = group.filter(({ name }) => name === input.name)
    return (same.find(({ checked }) => checked) ?? same[0]) === input
  }
  const all = [...document.querySelectorAll('*')]
  return all.flatMap((element, at) => {
    const takes =
      'a[href], button:enabled, input:enabled:not([type=hidden]), summary, [tabindex="0"]'
    if (!element.matches(takes) || element.matches('[tabindex="-1"]')) return []
    if (element instanceof HTMLInputElement && !takesTab(element)) return []
    if (!element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }))
      return []
    return [{ at, html: element.outerHTML.slice(0, 80) }]
  })
}

/** Runs in the page. Returns the element that has the focus; undefined for the page itself. */
function focusedStop(): Stop | undefined {
  const element = document.activeElement
  if (!element || element === document.body) return undefined
  const at = [...document.querySelectorAll('*')].indexOf(element)
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const form = element.closest('search form, dialog form')
  const hasRing =
    (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1) ||
    (form !== null &&
      (getComputedStyle(form).boxShadow !== 'none' ||
        getComputedStyle(form).outlineStyle !== 'none'))
  const { left, top, width, height } = element.getBoundingClientRect()
  const x = Math.min(Math.max(left + width / 2, 1), innerWidth - 1)
  const points = [top + 2, top + height / 2, top + height - 2].filter(y => y > 0 && y < innerHeight)
  const isSeen = points.some(y => {
    const hit = document.elementFromPoint(x, y)
    return hit !== null && (element.contains(hit) || hit.contains(element))
  })
  const problem = hasRing ? (isSeen ? undefined : 'focus is out of sight') : 'no ring'

  return { at, html: element.outerHTML.slice(0, 80), problem }
}

/**
 * Returns what is wrong with popovers and dialogs: each opens by its button, closes on Esc and
 * gives the focus back.
 */
export async function escapes(page: Page): Promise<string[]> {
  const problems: string[] = []
  const openers = page.locator('[popovertarget]:visible, a[id="~find"]:visible')
  for (const opener of await openers.all()) {
    if (!(await opener.isVisible())) continue
    const name = (await opener.getAttribute('popovertarget')) ?? '~search'
    const box = page.locator(`[id="${name}"]`)
    await opener.focus()
    await page.keyboard.press('Enter')
    if (!(await box.isVisible())) problems.push(`${name} does not open`)
    await page.keyboard.press('Escape')
    if (await box.isVisible()) problems.push(`${name} stays open`)

    const isBack = await opener.evaluate(element => element === document.activeElement)
    if (!isBack) problems.push(`${name} does not give the focus back`)
  }

  return problems
}
