import type { BrowserContextOptions, Browser as Chromium, Page } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { chromiumPath, startChromium } from '../../browser/chromium.ts'
import { inspect, openPage } from '../../browser/inspect.ts'
import { type App, startApp } from '../../support/app.ts'
import { Browser } from '../../support/http/browser.ts'
import { skip } from '../../support/skip.ts'

let app: App
let chromium: Chromium | undefined
let cookie: { name: string; value: string; url: string }

test.before(async () => {
  if (!chromiumPath) return
  app = await startApp()
  const browser = new Browser(app.url)
  await browser.signIn(app.admin.token)
  const [name = '', value = ''] = browser.cookie.split('=')
  cookie = { name, value, url: app.url }
  chromium = await startChromium()
})
test.after(async () => {
  await chromium?.close()
  await app?.stop()
})

const wide = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const
const phone = { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' } as const

type Opening = BrowserContextOptions & { signedIn?: boolean }

/**
 * Adds a test with a page in the browser. It fails when the page writes to the console, breaks its
 * policy or loads something from elsewhere.
 */
function inBrowser(
  title: string,
  path: string,
  { signedIn = false, ...options }: Opening,
  run: (page: Page) => Promise<void>,
): void {
  test(title, async () => {
    if (!chromium) return skip('there is no Chromium: set CHROME_PATH')
    const context = await chromium.newContext(options)
    if (signedIn) await context.addCookies([cookie])
    const { page, said } = await openPage(context, app.url + path)
    await run(page)
    assert.equal(said, [])
    await context.close()
  })
}

const list = '/docs/spaces/list-the-spaces-of-an-organization'
const create = '/docs/spaces/create-a-space'
const status = '.call > [role=status]'

inBrowser(
  'a reader who is signed in sends a request with the keyboard, without a token',
  list,
  { ...wide, signedIn: true },
  async page => {
    await page.locator('.try > button').focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector('.call form')
    const ways = page.locator('.call select').filter({ hasText: 'Your session' })
    assert.match(
      (await ways.locator('option:checked').textContent()) ?? '',
      /^Your session \(.+\)$/,
    )
    await page.getByRole('textbox', { name: 'organizationId' }).fill('acme')
    await page.keyboard.press('Enter')
    await page.locator(status, { hasText: /^200/ }).waitFor()
    assert.match((await page.locator('.call pre').last().textContent()) ?? '', /"items": \[/)
    assert.equal(await inspect(page), [])
  },
)

const links = 'header.top .links > a'

inBrowser(
  'the header shows who is signed in, with a way to the workbench',
  '/docs/manual',
  { ...wide, signedIn: true },
  async page => {
    await page.locator(links, { hasText: 'Workbench' }).waitFor()
    const shown = await page
      .locator(links)
      .evaluateAll(all => all.map(each => [each.textContent, each.getAttribute('href')]))
    assert.equal(shown, [
      ['Workbench', '/app'],
      ['Ada', '/app/account'],
    ])
    assert.equal(await inspect(page), [])
  },
)

inBrowser('the sign-in of the header leads back to the page', create, phone, async page => {
  const back = `/sso/sign-in?${new URLSearchParams({ return_to: create })}`
  await page.locator(`${links}[href="${back}"]`).waitFor({ state: 'attached' })
  assert.equal(await page.locator(links).allTextContents(), ['Sign in'])
})

inBrowser('the name of a schema leads to its page', create, wide, async page => {
  await page
    .locator('main a', { hasText: /^Space$/ })
    .first()
    .click()
  await page.waitForURL('**/docs/models/space')
  assert.is(await page.locator('h1').textContent(), 'Space')
})

inBrowser(
  'a change with the session asks for a second click, and an input takes the first one back',
  create,
  { ...wide, signedIn: true },
  async page => {
    await page.locator('.try > button').click()
    await page.getByRole('textbox', { name: 'organizationId' }).fill('acme')
    const body = page.locator('.call textarea')
    await body.fill('{"title": "Once"}')
    const send = page.locator('.call button[type=submit]')
    await send.click()
    assert.match((await send.textContent()) ?? '', /^Click again: POST as /)
    await body.fill('{"title": "Twice"}')
    assert.is(await send.textContent(), 'Send')
    await send.click()
    assert.is(await page.locator(status).textContent(), '')
    await send.click()
    await page.locator(status, { hasText: /^201/ }).waitFor()
    const { body: spaces } = await app.admin.get('/v1/orgs/acme/spaces')
    assert.equal(
      spaces.items.map(({ title }: { title: string }) => title),
      ['Twice'],
    )
  },
)

inBrowser(
  'without a session, a token is asked for, and the sign-in leads back',
  list,
  wide,
  async page => {
    await page.locator('.try > button').click()
    await page.waitForSelector('.call form')
    const signIn = await page.locator('.call a').getAttribute('href')
    assert.is(signIn, `/sso/sign-in?${new URLSearchParams({ return_to: list })}`)
    await page.getByRole('textbox', { name: 'organizationId' }).fill('acme')
    await page.locator('.call input[type=password]').fill(app.admin.token)
    await page.locator('.call button[type=submit]').click()
    await page.locator(status, { hasText: /^200/ }).waitFor()
  },
)

inBrowser(
  'the search finds an operation by a word of its description, and opens it',
  '/docs',
  wide,
  async page => {
    await page.keyboard.press('/')
    await page.keyboard.type('admins read a deleted space')
    await page.waitForSelector('#\\~search [role=option][href="/docs/spaces/get-a-space"]')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/spaces/get-a-space')
    assert.is(await page.locator('h1').textContent(), 'Get a space')
  },
)

inBrowser('the list of pages opens a tag in its place', '/docs/spaces', wide, async page => {
  const tag = page.locator('.side li:has(> a[href="/docs/comments"])')
  await tag.locator('.twist').click()
  await tag.locator('ul a').first().waitFor()
  assert.ok((await tag.locator('ul a').count()) > 10)
})

for (const path of ['/docs', '/docs/spaces', create, '/docs/models/space', '/docs/manual'])
  for (const colorScheme of ['light', 'dark'] as const)
    inBrowser(
      `${path} is sound on a phone, ${colorScheme}`,
      path,
      { ...phone, colorScheme },
      async page => assert.equal(await inspect(page), []),
    )

inBrowser('a form is sound on a phone', create, { ...phone, signedIn: true }, async page => {
  await page.locator('.try > button').click()
  await page.waitForSelector('.call form')
  assert.equal(await inspect(page), [])
})

test.run()
