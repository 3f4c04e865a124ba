import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { Browser } from '../../support/http/browser.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
const { admin, ctx } = app
test.after(() => app.stop())

const files = {
  'README.md': '# Home\n\nWelcome, see [gone](gone.md).\n',
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Open](open.md)\n',
  'open.md': '# Open\n\nOpenword text.\n',
}
const sites = '/v1/orgs/acme/sites'

async function signedIn(token: string): Promise<Browser> {
  const browser = new Browser(app.url)
  assert.is((await browser.signIn(token)).status, 303)
  return browser
}

const signInAt = (path: string) =>
  `${app.url}/sso/sign-in?${new URLSearchParams({ return_to: path })}`

test('a member sees links for members and broken links; the pages of others stay the same', async () => {
  const { base, space } = await insertPublicSite(app, files)
  const request = await admin.post(`/v1/spaces/${space}/change-requests`, {
    subject: 'Another word',
  })
  const member = await signedIn(app.user('Mia', 'read').token)
  const before = await openPage(app, `${base}open`)
  const page = await openPage(app, `${base}open`, { cookie: member.cookie })

  assert.match(page.text, 'class="toolbar"')
  assert.match(page.text, `href="${base}~stemma/history/`)
  const inWorkbench = new RegExp(`href="(/app/s/${space}/p/\\w+/history)">History<`)
  const [, history = ''] = inWorkbench.exec(page.text) ?? []
  const opened = await member.get(history)
  assert.is(opened.status, 200)
  assert.match(opened.text, 'History of ')
  assert.match(page.text, `href="${base}~/changes/${request.body.number}/open">#1 Another word<`)
  assert.match(page.text, `href="/app/s/${space}/changes">Change requests<`)
  assert.match(page.text, 'href="/app/account">Mia<')
  const proposed = `${base}~/changes/${request.body.number}/open`
  const review = new RegExp(`href="(/app/s/${space}/changes/1/pages/\\w+)">Review it<`)
  const [, reviewed = ''] =
    review.exec((await openPage(app, proposed, { cookie: member.cookie })).text) ?? []
  assert.is((await member.get(reviewed)).status, 200)
  assert.is(page.headers.get('cache-control'), 'private, no-store')
  const after = await openPage(app, `${base}open`)

  assert.is(after.text, before.text)
  assert.equal(after.headers.get('etag'), before.headers.get('etag'))
  assert.is(after.headers.get('cache-control'), 'public, max-age=0, must-revalidate')
  assert.not.match(after.text, 'class="toolbar"')
  assert.match((await openPage(app, base, { cookie: member.cookie })).text, 'class="broken"')
  assert.not.match((await openPage(app, base)).text, 'class="broken"')

  for (const stranger of [app.user('Stan'), app.user('Gita', null)]) {
    const { cookie } = await signedIn(stranger.token)
    assert.is((await openPage(app, `${base}open`, { cookie })).text, before.text)
  }
})

test('a page for a member is not kept for others, and ends with the session', async () => {
  const { base } = await insertPublicSite(app, files)
  const member = await signedIn(app.user('Nina', 'read').token)
  const { cookie } = member
  assert.match((await openPage(app, `${base}open`, { cookie })).text, 'class="toolbar"')
  assert.not.match((await openPage(app, `${base}open`)).text, 'class="toolbar"')
  await member.post('/sso/sign-out', { csrf: await member.csrf() })
  assert.not.match((await openPage(app, `${base}open`, { cookie })).text, 'class="toolbar"')
})

test('the session of a token that may not read content is none', async () => {
  const { base } = await insertPublicSite(app, files)
  const user = app.user('Otto', 'read')
  const { body } = await user.post('/v1/user/tokens', { name: 'narrow', scopes: ['comments:read'] })
  const { cookie } = await signedIn(body.token)
  assert.not.match((await openPage(app, `${base}open`, { cookie })).text, 'class="toolbar"')
})

test('the sign-in leads to that of the server, and back to the page', async () => {
  const { base } = await insertPublicSite(app, files)
  const answer = await openPage(app, `${base}~gitbook/auth/login?location=open%3Fx%3D1`)
  assert.equal(
    [answer.status, answer.headers.get('location')],
    [302, signInAt(`${base}open?x=1`).slice(app.url.length)],
  )
  const browser = new Browser(app.url)
  const back = await browser.signIn(app.user('Pia', 'read').token, { return_to: `${base}open?x=1` })

  assert.is(back.headers.get('location'), `${app.url}${base}open?x=1`)
  assert.match((await browser.get(`${base}open?x=1`)).text, 'class="toolbar"')
})

test('no location leads a sign-in out of the site', async () => {
  const { base } = await insertPublicSite(app, files)
  for (const location of [
    '//evil.example',
    '\\\\evil.example',
    '/../../../v1/x',
    '..',
    'https://evil.example/',
    '%2e%2e/x',
    '\t//evil.example',
    '',
  ]) {
    const path = `${base}~gitbook/auth/login?${new URLSearchParams({ location })}`
    const answer = await openPage(app, path)
    const to = new URL(answer.headers.get('location') ?? '', app.url)
    assert.equal([answer.status, to.origin, to.pathname], [302, app.url, '/sso/sign-in'], location)
    const back = to.searchParams.get('return_to') ?? ''
    assert.ok(back.startsWith(base), `${location}: ${back}`)
  }
})

test('visitors sign in at the address of the company', async () => {
  const { base, site } = await insertPublicSite(app, files, { visibility: 'visitor-auth' })
  const path = `${base}~gitbook/auth/login?location=open`
  assert.is((await openPage(app, path, { accept: 'text/html' })).status, 401)
  const auth = { backend: 'custom', fallbackURL: 'https://login.example.org/docs' }

  assert.is((await admin.patch(`${sites}/${site}/publishing/auth`, auth)).status, 200)
  const to = 'https://login.example.org/docs?location=open'

  assert.equal((await openPage(app, path)).headers.get('location'), to)
  assert.is(
    (await openPage(app, `${base}~gitbook/auth/login?location=/open`)).headers.get('location'),
    to,
  )
  updateSite(ctx.store, site, { visibility: 'public', adaptive: 1 })
  assert.is((await openPage(app, path)).headers.get('location'), to)
  updateSite(ctx.store, site, { adaptive: 0 })
  assert.match((await openPage(app, path)).headers.get('location') ?? '', '/sso/sign-in')
})

test('an address for previews opens an unpublished site in a browser, with a banner', async () => {
  const { base, site } = await insertPublicSite(app, files)
  assert.is((await admin.post(`${sites}/${site}/unpublish`)).status, 200)
  assert.is((await openPage(app, base)).status, 404)
  const { url } = (await admin.get(`${sites}/${site}/publishing/preview`)).body
  const address = url.slice(app.url.length)
  const browser = new Browser(app.url)
  const arrived = await browser.get(address)
  const preview = `/~preview/${site}/`

  assert.equal(
    [arrived.status, arrived.headers.get('location'), arrived.headers.get('referrer-policy')],
    [303, preview, 'no-referrer'],
  )
  assert.match(arrived.headers.get('set-cookie') ?? '', `Path=${preview}; HttpOnly; SameSite=Lax`)
  const page = await browser.get(preview)

  assert.is(page.status, 200)
  assert.match(page.text, 'Preview: readers may not see this site yet.')
  assert.match(page.text, `href="${preview}open"`)
  assert.equal(
    [page.headers.get('cache-control'), page.headers.get('x-robots-tag')],
    ['private, no-store', 'noindex'],
  )
  assert.is((await browser.get(`${preview}open`)).status, 200)
  assert.match(
    (await browser.get(`${preview}~/revisions/2999-01-01/open`)).headers.get('location') ?? '',
    preview,
  )
  assert.is((await openPage(app, preview, { accept: 'text/html' })).status, 401)
  assert.is((await browser.get(base)).status, 404)
  const other = await insertPublicSite(app, files, { published: 0 })
  const renamed = browser.cookie.replaceAll(site, other.site)

  assert.is((await openPage(app, `/~preview/${other.site}/`, { cookie: renamed })).status, 404)
})

test('a preview ends with the rights of its user', async () => {
  const { site } = await insertPublicSite(app, files, { published: 0 })
  const creator = app.user('Quin', 'create')
  const { url } = (await creator.get(`${sites}/${site}/publishing/preview`)).body
  const browser = new Browser(app.url)

  await browser.get(url.slice(app.url.length))
  const preview = `/~preview/${site}/`

  assert.is((await browser.get(preview)).status, 200)
  assert.is((await admin.patch('/v1/orgs/acme/members/quin', { role: 'read' })).status, 200)
  assert.is((await browser.get(preview, { accept: 'text/html' })).status, 401)
})

test('a browser session previews a site that its user may read', async () => {
  const { site } = await insertPublicSite(app, files, { published: 0 })
  const preview = `/~preview/${site}/`
  const creator = await signedIn(app.user('Rolf', 'create').token)
  const page = await openPage(app, `${preview}open`, { cookie: creator.cookie })

  assert.is(page.status, 200)
  assert.match(page.text, 'Preview: readers')
  assert.match(page.text, 'class="toolbar"')
  const reader = await signedIn(app.user('Sam', 'read').token)
  assert.is((await openPage(app, preview, { cookie: reader.cookie })).status, 200)
  const guest = await signedIn(app.user('Gus', null).token)
  assert.is((await openPage(app, preview, { cookie: guest.cookie })).status, 404)
})

test('the session does not count on another host, where the sign-in leads to the preview', async () => {
  const { site } = await insertPublicSite(app, files, { hostname: 'docs.example.org' })
  const creator = await signedIn(app.user('Tom', 'create').token)
  const host = { host: 'docs.example.org', cookie: creator.cookie }
  const page = await openPage(app, '/open', host)

  assert.is(page.status, 200)
  assert.not.match(page.text, 'class="toolbar"')
  assert.is((await openPage(app, '/~/revisions/2999-01-01/', host)).status, 401)
  const answer = await openPage(app, '/~gitbook/auth/login?location=open', host)

  assert.is(answer.headers.get('location'), signInAt(`/~preview/${site}/open`))
  assert.match(
    (await openPage(app, `/~preview/${site}/open`, { cookie: creator.cookie })).text,
    'class="toolbar"',
  )

  for (const location of ['/evil.example', '//evil.example', '\\evil.example']) {
    const to = await openPage(
      app,
      `/~gitbook/auth/login?${new URLSearchParams({ location })}`,
      host,
    )
    assert.match(
      to.headers.get('location') ?? '',
      `${app.url}/sso/sign-in?return_to=%2F%7Epreview%2F`,
    )
  }
})

test('what a preview or a member is sent is not for shared caches', async () => {
  const { base, site } = await insertPublicSite(app, {
    'README.md': '# Home\n\n[A file](.gitbook/assets/a.txt)\n',
    '.gitbook/assets/a.txt': 'Words.\n',
  })

  const cacheControl = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await openPage(app, path, { accept: 'text/html', ...headers })
    assert.is(answer.status, 200, path)
    return answer.headers.get('cache-control') ?? ''
  }
  const fileOn = async (at: string, headers = {}) =>
    / href="([^"]*~stemma\/files[^"]*)"/.exec((await openPage(app, at, headers)).text)?.[1] ?? ''
  const { cookie } = await signedIn(app.user('Tess', 'create').token)
  const preview = `/~preview/${site}/`

  assert.match(
    await cacheControl(await fileOn(preview, { cookie }), { cookie }),
    /^private, .*immutable/,
  )
  assert.match(await cacheControl(`${preview}~gitbook/icon`, { cookie }), /^private/)
  for (const at of [base, preview])
    assert.is(await cacheControl(`${at}~gitbook/mcp`, { cookie }), 'private, no-store', at)
  assert.match(await cacheControl(await fileOn(base)), /^public, .*immutable/)
  assert.match(await cacheControl(`${base}~gitbook/icon`), /^public/)
  assert.match(await cacheControl(`${base}~gitbook/mcp`), /^public/)
  updateSite(ctx.store, site, { visibility: 'unlisted', adaptive: 1 })
  assert.match(await cacheControl(`${base}~gitbook/icon`), /^private/)
})

test.run()
