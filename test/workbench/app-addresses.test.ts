import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { actor, startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { Browser } from '../support/http/browser.ts'
import { readingToken } from '../support/sites.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const files = {
  'README.md': '# Home\n',
  'my page.md': '# Page\n\nSeldomword.\n',
}
const { api, space } = await makeSpace(app, files, 'Guide')
const pathOf = (url: string) => url.slice(app.url.length)
const openedBy = async (browser: Browser, url: string) => {
  const { status, headers } = await browser.get(pathOf(url))
  return [status, headers.get('location')]
}

const member = new Browser(app.url)
await member.signIn(app.user('Mia', 'read').token)
const outsider = new Browser(app.url)
await outsider.signIn(app.user('Stan').token)

const { body: tree } = await admin.get(`${api}/content`)
const page = tree.pages[1]
const { body: revision } = await admin.get(`${api}/revisions/${tree.id}`)
const { body: listed } = await admin.get(`${api}/revisions`)
const { body: found } = await admin.get(`${api}/search?query=Seldomword`)
const { body: everywhere } = await admin.get('/v1/orgs/acme/search?query=Seldomword')
const atApp = `${app.url}/app/s/${space.id}`
const atRevision = `${atApp}/history/${tree.id}`

test('urls.app of content, pages, revisions and found pages name the space, not a site', () => {
  assert.equal(
    [tree, page, found.items[0], everywhere.items[0].pages[0]].map(each => each.urls.app),
    [atApp, `${atApp}/p/${page.id}`, `${atApp}/p/${page.id}`, `${atApp}/p/${page.id}`],
  )
  assert.equal(
    [revision, revision.pages[1], listed.items[0]].map(each => each.urls.app),
    [atRevision, `${atRevision}/p/${page.id}`, atRevision],
  )
})

test('they are pages for members, whether or not a site shows the space', async () => {
  for (const [url, title] of [
    [atApp, 'Home'],
    [page.urls.app, 'Page'],
    [`${atRevision}/p/${page.id}`, 'Page'],
  ] as const) {
    const { status, text } = await member.get(pathOf(url))
    assert.is(status, 200, url)
    assert.match(text, `<h1>${title}</h1>`)
  }
  assert.is((await member.get(pathOf(atRevision))).status, 200)

  for (const url of [`${atApp}/p/none`, `${atApp}/history/none`, `${app.url}/app/s/none`])
    assert.equal(await openedBy(member, url), [404, null], url)
})

test('others are asked to sign in, or learn nothing, whether or not the address leads anywhere', async () => {
  for (const url of [atApp, page.urls.app, `${app.url}/app/s/none`]) {
    assert.equal(await openedBy(outsider, url), [404, null])
    const stranger = await openedBy(new Browser(app.url), url)
    const signIn = `/sso/sign-in?${new URLSearchParams({ return_to: pathOf(url) })}`
    assert.equal(stranger, [303, app.url + signIn])
  }
})

test('a reader gets addresses of the API, because readers have no session', async () => {
  const { body: site } = await admin.post('/v1/orgs/acme/sites', { spaces: [space.id] })
  await admin.post(`/v1/orgs/acme/sites/${site.id}/publish`)
  const reader = actor(app.url, '', readingToken(app, site.id))
  const { body: content } = await reader.get(`${api}/content`)
  assert.match(content.urls.app, /\/v1\/spaces\/[^/]+\/content$/)
  assert.match(content.pages[1].urls.app, /\/content\/page\//)
})

test.run()
