import type { Browser, Page, Request } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkLive } from '../browser/check-live.ts'
import { chromiumPath, startChromium } from '../browser/chromium.ts'
import { schemes, widths } from '../browser/run-options.ts'
import { cookieOf, type Desk, startDesk } from '../browser/workbench/desk.ts'
import { deskStates } from '../browser/workbench/states.ts'
import type { Actor } from '../support/app.ts'
import { isLongRun, sampleOf } from '../support/long-run.ts'
import { skip } from '../support/skip.ts'

let browser: Browser | undefined
let desk: Desk

test.before(async () => {
  if (!chromiumPath) return
  desk = await startDesk()
  browser = await startChromium()
})
test.after(async () => {
  await browser?.close()
  await desk?.app.stop()
})

const withBrowser = (name: string, run: (browser: Browser) => Promise<void>): void =>
  test(name, () => (browser ? run(browser) : skip('there is no Chromium: set CHROME_PATH')))

/** The views of states. */
const views = Object.entries(deskStates).flatMap(([name, state]) =>
  (state.widths ?? widths).flatMap(width =>
    schemes.map(scheme => ({ name, state, width, scheme, large: state.large })),
  ),
)

withBrowser('states of the workbench are sound, with Tab and Esc', async chromium => {
  // All of them take minutes: `npm run test:browser -- workbench` opens them.
  const every = isLongRun ? 10 : 30
  const opened = sampleOf(views.filter(({ large }) => !large)).filter((_, at) => at % every === 0)
  for (const { name, state, width, scheme } of opened) {
    const problems = await checkLive(chromium, desk, state, { width, scheme })
    assert.equal(problems, [], `${name}, ${width} px, ${scheme}`)
  }
})

/** Opens a path below `/app` in a browser of somebody. */
async function open(chromium: Browser, path: string, cookie = desk.cookie): Promise<Page> {
  const context = await chromium.newContext({ reducedMotion: 'reduce' })
  const { url } = desk.app
  await context.addCookies(
    cookie.split('; ').map(pair => {
      const [name = '', ...value] = pair.split('=')
      return { name, value: value.join('='), url }
    }),
  )
  const page = await context.newPage()
  await page.goto(desk.to(path))
  return page
}

/** Opens a page for the first time. Returns what it loads, compressed, in bytes. */
async function firstVisit(chromium: Browser, path: string) {
  const page = await open(chromium, '/nowhere')
  await page.context().clearCookies({ name: 'none' })
  const finished: Request[] = []
  page.on('requestfinished', request => finished.push(request))
  // The cache of another page is of another browser.
  const session = await page.context().newCDPSession(page)
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await page.goto(desk.to(path), { waitUntil: 'networkidle' })
  const loaded = await Promise.all(
    finished.map(async request => ({
      type: request.resourceType(),
      bytes: (await request.sizes()).responseBodySize,
    })),
  )
  await page.context().close()
  const sum = (all: { bytes: number }[]) => all.reduce((bytes, each) => bytes + each.bytes, 0)
  return {
    requests: loaded.length,
    bytes: sum(loaded.filter(({ type }) => type !== 'image')),
    script: sum(loaded.filter(({ type }) => type === 'script')),
  }
}

withBrowser('a first visit has few bytes and requests', async chromium => {
  const { handbook: id, page } = desk
  for (const path of ['', `/s/${id}/p/${page}`, `/s/${id}/changes/1`, `/s/${id}/changes`]) {
    const { requests, bytes, script } = await firstVisit(chromium, path)
    assert.ok(requests <= 6, `${path}: ${requests} requests`)
    assert.ok(bytes <= 24 * 1024, `${path}: ${bytes} bytes`)
    assert.ok(script <= 12 * 1024, `${path}: ${script} bytes of scripts`)
  }
  const editor = await firstVisit(chromium, `/s/${id}/edit/${page}?to=new`)
  assert.ok(editor.bytes <= 200 * 1024, `editor: ${editor.bytes} bytes`)
})

/** Presses Tab until something is reached, and asserts that it has a ring. */
async function tabTo(page: Page, selector: string): Promise<void> {
  const isAt = (asked: string) =>
    page.evaluate(found => document.activeElement?.matches(found), asked)
  for (let steps = 0; steps < 150; steps++) {
    // For two seconds after Escape, Tab leaves the text of the editor.
    if (await isAt('.cm-content')) await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    if (await isAt(selector)) return
  }
  throw new Error(`Tab does not reach ${selector}.`)
}

const memberWith = (name: string, role: 'edit' | 'review'): Actor => desk.app.user(name, role)

withBrowser('by keyboard alone: a typo is mended and a review asked for', async chromium => {
  const cookie = await cookieOf(desk.app, memberWith('Wanda', 'edit'))
  const page = await open(chromium, `/s/${desk.handbook}/p/${desk.page}`, cookie)
  await page.keyboard.press('Tab')
  assert.is(await page.evaluate(() => document.activeElement?.className), 'skip')
  await page.keyboard.press('Enter')
  assert.is(await page.evaluate(() => document.activeElement?.tagName), 'MAIN')

  await tabTo(page, 'a.btn.primary')
  await page.keyboard.press('Enter')
  await page.locator('.cm-content').waitFor()
  await tabTo(page, '.cm-content')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('\nMended by keys.')
  await page.locator('[data-editor-preview]', { hasText: 'Mended by keys.' }).waitFor()
  await page.keyboard.press('Escape')
  await tabTo(page, 'button[value=review]')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/changes\/\d+$/)
  assert.match(await page.locator('.notice').innerText(), /open for review/)
  await page.context().close()
})

withBrowser('by keyboard alone: a change request is read, approved and merged', async chromium => {
  const { body } = await memberWith('Wolf', 'edit').post(
    `/v1/spaces/${desk.handbook}/change-requests`,
    { subject: 'By keys' },
  )
  await desk.admin.post(`/v1/spaces/${desk.handbook}/change-requests/${body.id}/content`, {
    changes: [{ operation: 'insert_page', title: 'Keys', document: { markdown: 'Keys.\n' } }],
  })
  const cookie = await cookieOf(desk.app, memberWith('Rhea', 'review'))
  const page = await open(chromium, `/s/${desk.handbook}/changes/${body.number}`, cookie)
  await tabTo(page, '.tabbar a:not([aria-current])')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/pages\//)
  await tabTo(page, '.tabbar a')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/changes\/\d+$/)
  await tabTo(page, '[name=do][value=comment]')
  await page.keyboard.press('ArrowDown')
  assert.ok(await page.locator('[name=do][value=approved]').isChecked())
  await tabTo(page, 'form.answer button[type=submit]')
  await page.keyboard.press('Enter')
  await page.locator('[role=status]', { hasText: 'You approved it' }).waitFor()
  await tabTo(page, 'form.merge button[type=submit]')
  await page.keyboard.press('Enter')
  await page.locator('[role=status]', { hasText: 'is merged' }).waitFor()
  await page.context().close()
})

/** Returns what a screen reader lists of a page: its parts, headings and fields, with their names. */
async function treeOf(page: Page): Promise<string[]> {
  const whole = await page.locator('body').ariaSnapshot()
  const wanted =
    /^(?:banner|search|navigation|main|form|region|heading|status|alert|textbox|searchbox|combobox|radio|button)\b/
  return whole.split('\n').flatMap(line => {
    const text = line.replace(/^\s*- '?/, '').replace(/'?:?$/, '')
    return wanted.test(text) ? [text] : []
  })
}

const top = [
  'banner',
  'search',
  'searchbox "Search everything you may read"',
  'button "You are Ada": A Ada',
]

withBrowser('screen readers get the parts of a page by name', async chromium => {
  const tree = async (path: string): Promise<string[]> => {
    const page = await open(chromium, path)
    const found = await treeOf(page)
    await page.context().close()
    return found
  }
  const id = desk.handbook

  assert.equal(await tree(`/s/${id}/p/${desk.page}`), [
    ...top,
    'navigation "Pages"',
    'main',
    'navigation "Where this page is"',
    'navigation "Parts of Handbook"',
    'heading "Marks" [level=1]',
    'button "More"',
    'heading "Next steps Link to this heading" [level=2]',
    'button "Copy"',
    'region "Comments on this page"',
    'heading "Comments on this page" [level=2]',
    'button "Resolve"',
    'textbox "Comment"',
    'button "Comment"',
  ])

  const overview = await tree(`/s/${id}/changes/2`)
  const parts = overview.filter(line => /^(?:main|region|form|radio)/.test(line))
  assert.match(overview.join('\n'), /^heading "A long subject .*#2.*Open" \[level=1\]$/m)
  assert.equal(parts, [
    'main',
    'region "Description"',
    'region "What it changes"',
    'region "Conversation"',
    'form "Comment or review"',
    'radio "Comment" [checked]',
    'radio "Approve"',
    'radio "Request changes"',
    'region "Merge"',
    'form "Merge"',
    'region "Reviewers"',
    'region "Findings"',
    'region "Up to date"',
    'form "Update"',
    'region "Branch"',
  ])

  const editor = await open(chromium, `/s/${id}/edit/${desk.page}?to=new`)
  await editor.locator('.cm-content').waitFor()
  const fields = (await treeOf(editor)).join('\n')
  for (const name of ['Title', 'Text in Markdown', 'What changed'])
    assert.match(fields, `textbox "${name}"`)
  assert.match(fields, 'region "Preview"')
  assert.ok(await editor.locator('[role=status]').count())
  await editor.context().close()
})

withBrowser('what a form did, and why it did nothing, is announced', async chromium => {
  const page = await open(chromium, `/s/${desk.handbook}/p/${desk.page}`)
  const comment = page.locator('form', { has: page.locator('[name=text]') }).last()
  await comment.locator('[name=text]').fill('One more.')
  await comment.locator('button[type=submit]').click()
  await page.locator('[role=status]', { hasText: 'Your comment was posted.' }).waitFor()

  await page.goto(desk.to(`/s/${desk.handbook}/new`))
  await page.evaluate(() => document.querySelector('main [required]')?.removeAttribute('required'))
  await page.locator('main button[type=submit]').click()
  await page.locator('[role=alert]').waitFor()
  const title = page.locator('[name=title]')
  assert.is(await title.getAttribute('aria-invalid'), 'true')
  const described = await title.getAttribute('aria-describedby')
  assert.match(described ?? '', /-problem/)
  assert.ok(await title.evaluate(field => field === document.activeElement))
  await page.context().close()
})

test.run()
