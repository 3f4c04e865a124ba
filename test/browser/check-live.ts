import type { Browser, Page } from 'playwright-core'
import { inspect, inspectLines, openPage } from './inspect.ts'
import { escapes, walk } from './keyboard.ts'
import type { LiveState } from './live-states.ts'

/** What states are of: a server, and the Cookie header of a member. */
export type Live = { app: { url: string }; cookie: string }

/** How a state is opened. */
export type View = { width: number; scheme: 'light' | 'dark' }

/**
 * Opens a state in a browser and checks it; `look` sees the page before it is closed. Returns what
 * is wrong.
 */
export async function checkLive<Sites extends Live>(
  browser: Browser,
  sites: Sites,
  state: LiveState<Sites>,
  { width, scheme }: View,
  look: (page: Page) => Promise<void> = async () => {},
): Promise<string[]> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    forcedColors: state.forcedColors ?? 'none',
  })
  if (state.member) await context.addCookies(cookiesOf(sites))
  const { page, said } = await openPage(context, state.at(sites), state)
  if (state.printed) await print(page)
  await state.act?.(page)
  if (!state.printed) await readThrough(page)

  const problems = await inspect(page, { forced: state.forcedColors === 'active' })
  if (state.lines && width === 1440) problems.push(...(await inspectLines(page)))
  await look(page)
  if (state.keys) problems.push(...(await walk(page)), ...(await escapes(page)))
  await context.close()

  return [...problems, ...said]
}

/** Returns the cookies of a member. */
export const cookiesOf = ({ app, cookie: all }: Live) =>
  all.split('; ').map(cookie => {
    const [name = '', ...value] = cookie.split('=')
    return { name, value: value.join('='), url: app.url }
  })

/** Shows a page as on paper. What moves is no shift. */
async function print(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' })
  await page.evaluate(async () => {
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
    ;(globalThis as { shifts?: string[] }).shifts = []
  })
}

/** Scrolls to the end of a page and back: images that load late may shift it. */
async function readThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise(done => requestAnimationFrame(done))
    for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
      scrollTo(0, y)
      await frame()
    }
    scrollTo(0, 0)
    await frame()
  })
}
