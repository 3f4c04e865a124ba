import { request } from 'node:http'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { query } from '../../src/store/store.ts'
import { chromiumPath, startChromium } from '../browser/chromium.ts'
import { withStoppedClock } from '../support/http/stopped-clock.ts'
import { skip } from '../support/skip.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'
import { changeAudience, cookieOf, customizeSite, makeAdaptive, sitePath } from './visitors.ts'

const app = await siteApp({ STEMMA_TRUST_PROXY: '1' })
const { admin, ctx } = app
test.after(() => app.stop())

const files = {
  'README.md': '# Home\n\nWelcome.\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Open](open.md)\n* [Beta](beta.md)\n',
  'beta.md': '---\nif: visitor.claims.beta === true\n---\n\n# Beta\n\nBetaword.\n',
  'open.md': '# Open\n\nOpenword.\n',
}

async function siteWithFeedback() {
  const made = await insertPublicSite(app, files)
  customizeSite(app, made.site, { feedback: { enabled: true } })
  const { pages } = (await admin.get(`/v1/spaces/${made.space}/content/pages`)).body
  const idOf = (path: string): string =>
    pages.find((page: { path: string }) => page.path === path).id
  return { ...made, open: idOf('open'), beta: idOf('beta') }
}

type Sent = { address?: string; headers?: Record<string, string>; fields?: Record<string, string> }

/** Posts the form of a page like a browser. Returns the status and where it leads. */
function send(base: string, { address = '192.0.2.1', headers = {}, fields = {} }: Sent) {
  const body = new URLSearchParams(fields).toString()
  return new Promise<[number, string?]>((resolve, reject) => {
    const posted = request(
      `${app.url}${base}~stemma/feedback`,
      {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': body.length,
          'sec-fetch-site': 'same-origin',
          'x-forwarded-for': address,
          ...headers,
        },
      },
      answer => {
        answer.resume()
        const { statusCode = 0, headers: given } = answer
        answer.on('end', () =>
          resolve(given.location ? [statusCode, given.location] : [statusCode]),
        )
      },
    )

    posted.on('error', reject)
    posted.end(body)
  })
}

const ratingsOf = async (site: string, query = '') =>
  (await admin.get(`${sitePath(site)}/feedback${query}`)).body.items.map(
    ({ page, ratings }: { page: string; ratings: object }) => [page, ratings],
  )

test('a page asks whether it helped while the settings say so, and thanks for the answer', async () => {
  const { base, site, open } = await siteWithFeedback()
  const { text } = await openPage(app, `${base}open`)
  assert.match(text, `<form class="feedback" method="post" action="${base}~stemma/feedback">`)
  assert.match(text, `name="page" value="${open}"`)
  const fields = { page: open, rating: 'yes' }
  const headers = { accept: 'text/html,*/*;q=0.8' }

  assert.equal(await send(base, { fields, headers }), [303, `${base}open?thanks=1`])
  const thanked = (await openPage(app, `${base}open?thanks=1`)).text

  assert.match(thanked, 'Thank you.')
  assert.not.match(thanked, '<form class="feedback"')
  assert.equal(
    await send(base, { fields: { ...fields, rating: 'no' }, headers: { accept: '*/*' } }),
    [204],
  )
  assert.equal(await send(base, { fields, address: '192.0.2.2' }), [204])
  assert.equal(await ratingsOf(site), [[open, { yes: 1, partly: 0, no: 1 }]])
  customizeSite(app, site, {})
  assert.not.match((await openPage(app, `${base}open`)).text, 'class="feedback"')
  assert.equal(await send(base, { fields }), [404])
})

test('nothing that is stored names the address of a reader, and no cookie is set', async () => {
  const { base, open } = await siteWithFeedback()
  const [one, other] = ['198.51.100.7', '198.51.100.8']
  for (const address of [one, other])
    await send(base, { address, fields: { page: open, rating: 'partly' } })
  const rows = ctx.store.all(query.selectFrom('page_feedback_reader').selectAll())
  assert.not.match(JSON.stringify(rows), /198\.51/)
  const digests = rows.filter(({ page_id }) => page_id === open).map(({ reader }) => reader)
  assert.is(new Set(digests).size, 2)
})

test('forms of other sites, unknown pages and other answers are refused', async () => {
  const { base, open, site } = await siteWithFeedback()
  const fields = { page: open, rating: 'yes' }
  const foreign = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: app.url },
  ]

  for (const headers of foreign) assert.equal(await send(base, { fields, headers }), [403])
  assert.equal(await send(base, { fields: { page: 'none', rating: 'yes' } }), [404])
  assert.equal(await send(base, { fields: { page: open, rating: '5' } }), [400])
  assert.equal(await send(base, { fields, headers: { 'content-type': 'text/plain' } }), [415])
  assert.equal(await ratingsOf(site), [])
})

test('an old browser is known by the origin of its form', async () => {
  const { base, open } = await siteWithFeedback()
  const post = (origin: string) =>
    fetch(`${app.url}${base}~stemma/feedback`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({ page: open, rating: 'yes' }),
    })

  // fetch of Node sends "Sec-Fetch-Mode" alone.
  assert.is((await post(app.url)).status, 204)
  assert.is((await post('https://evil.example')).status, 403)
})

test('without a script and over plain http, the form of a page behind a share link is sent', async () => {
  if (!chromiumPath) return skip('there is no Chromium: set CHROME_PATH')
  const made = await siteWithFeedback()
  const base = await changeAudience(app, made, 'share-link')

  // Browsers send "Sec-Fetch-Site" to the addresses of their own machine over plain http as well.
  const host = `192.0.2.80:${new URL(app.url).port}`
  const browser = await startChromium(['--host-resolver-rules=MAP 192.0.2.80 127.0.0.1'])
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()

  await page.goto(`http://${host}${base}open`)
  const [answered] = await Promise.all([
    page.waitForResponse(response => response.request().method() === 'POST'),
    page.locator('.feedback button').last().click(),
  ])

  assert.is(answered.status(), 303)
  assert.is((await answered.request().allHeaders()).referer, `http://${host}/`)
  await page.waitForURL(/thanks=1/)
  assert.match(await page.content(), 'Thank you.')
  await browser.close()
  assert.equal(await ratingsOf(made.site), [[made.open, { yes: 1, partly: 0, no: 0 }]])
})

test('an address that sends too many answers is refused for a while', async () => {
  const { base, open } = await siteWithFeedback()
  let status = 204

  await withStoppedClock(async () => {
    for (let at = 0; at < 100 && status === 204; at++)
      [status] = await send(base, { address: '203.0.113.9', fields: { page: open, rating: 'yes' } })
  })
  assert.is(status, 429)
  assert.equal(await send(base, { fields: { page: open, rating: 'yes' } }), [204])
})

test('a reader answers only for pages that they are shown, for every audience', async () => {
  const made = await siteWithFeedback()
  const sign = await makeAdaptive(app, made.site)
  const cookie = await cookieOf(app, made.base, await sign({ beta: true }))
  const beta = { page: made.beta, rating: 'yes' }

  assert.equal(await send(made.base, { fields: beta }), [404])
  assert.equal(await send(made.base, { fields: beta, headers: { cookie } }), [204])

  for (const visibility of ['unlisted', 'share-link'] as const) {
    const base = await changeAudience(app, made, visibility)
    assert.equal(
      await send(base, {
        fields: { page: made.open, rating: 'no' },
        address: visibility === 'unlisted' ? '192.0.2.60' : '192.0.2.61',
      }),
      [204],
    )
    assert.equal(await send(base, { fields: beta }), [404])
  }

  assert.equal(await send(made.base, { fields: beta }), [404])
  await changeAudience(app, made, 'visitor-auth')
  assert.equal(await send(made.base, { fields: beta }), [401])
  assert.equal(await ratingsOf(made.site), [
    ...[
      [made.open, { yes: 0, partly: 0, no: 2 }],
      [made.beta, { yes: 1, partly: 0, no: 0 }],
    ].sort(),
  ])
})

test('admins of a site list its answers by page and day', async () => {
  const { base, site, open } = await siteWithFeedback()
  await send(base, { fields: { page: open, rating: 'yes' } })
  const today = new Date().toISOString().slice(0, 10)
  assert.is((await ratingsOf(site, `?from=${today}&to=${today}`)).length, 1)
  assert.is((await ratingsOf(site, '?to=2020-01-01')).length, 0)
  assert.is((await admin.get(`${sitePath(site)}/feedback?from=today`)).status, 400)
  const stranger = app.user('Sam', 'read')
  assert.ok([403, 404].includes((await stranger.get(`${sitePath(site)}/feedback`)).status))
})

test.run()
