import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { updateSpace } from '../../../src/store/spaces/spaces.ts'
import { Browser } from '../../support/http/browser.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const files = { 'README.md': '# Home\n' }
const made = async (title: string, set: Parameters<typeof insertPublicSite>[2] = {}) => {
  const site = await insertPublicSite(app, files, { title, ...set })
  return { ...site, title }
}

const open = await made('Open')
const unlisted = await made('Unlisted', { visibility: 'unlisted' })
const closed = await made('Closed', { visibility: 'unlisted' })
updateSpace(app.ctx.store, closed.space, { default_level: null })
const draft = await made('Draft')
updateSite(app.ctx.store, draft.site, { published: 0 })
const shared = await made('Shared', { visibility: 'share-link' })

/** Returns the titles and addresses of the sites on the first page, in order. */
const listed = (text: string): [string, string][] =>
  [...text.matchAll(/<a class="card" href="([^"]*)"><b>([^<]*)<\/b>/g)].map(
    ([, href = '', title = '']) => [title, href],
  )

async function homeOf(token: string) {
  const browser = new Browser(app.url)
  assert.is((await browser.signIn(token)).status, 303)
  return { browser, home: await openPage(app, '/', { cookie: browser.cookie }) }
}

const preview = ({ site }: { site: string }) => `/~preview/${site}/`

test('a member who is signed in reads their name and the sites that they may read', async () => {
  const { browser, home } = await homeOf(app.user('Ada & Co', 'read').token)
  assert.is(home.status, 200)
  assert.is(home.headers.get('cache-control'), 'private, no-store')
  assert.match(home.text, 'You are signed in as Ada &amp; Co.')
  assert.match(home.text, 'href="/app/account">Your account<')
  assert.not.match(home.text, 'Sign in')
  assert.equal(listed(home.text), [
    ['Shared', preview(shared)],
    ['Draft', preview(draft)],
    ['Unlisted', unlisted.base],
    ['Open', open.base],
  ])

  assert.match((await browser.get('/app/account')).text, '<a href="/">Sites</a>')
  await browser.post('/sso/sign-out', { csrf: await browser.csrf() })
  const after = await openPage(app, '/', { cookie: browser.cookie })

  assert.equal([after.status, after.headers.get('location')], [307, open.base])
})

test('who may preview a site finds its preview', async () => {
  const { home } = await homeOf(app.user('Grace', 'create').token)
  assert.equal(listed(home.text), [
    ['Shared', preview(shared)],
    ['Draft', preview(draft)],
    ['Closed', closed.base],
    ['Unlisted', unlisted.base],
    ['Open', open.base],
  ])
  const opened = await openPage(app, preview(draft), {
    cookie: (await homeOf(app.user('Lin', 'create').token)).browser.cookie,
  })
  assert.is(opened.status, 200)
})

test('a stranger, a guest and a token that may not list sites find public sites only', async () => {
  const user = app.user('Otto', 'admin')
  const { body } = await user.post('/v1/user/tokens', { name: 'narrow', scopes: ['comments:read'] })
  for (const token of [app.user('Stan').token, app.user('Gita', null).token, body.token])
    assert.equal(listed((await homeOf(token)).home.text), [['Open', open.base]])
})

test('readers who are not signed in find one way to sign in, and a list that caches may keep', async () => {
  const second = await made('Second')
  const home = await openPage(app, '/')
  assert.is(home.headers.get('cache-control'), 'public, max-age=0, must-revalidate')
  assert.equal(listed(home.text), [
    ['Open', open.base],
    ['Second', second.base],
  ])
  assert.is(home.text.match(/Sign in/g)?.length, 1)
})

test.run()
