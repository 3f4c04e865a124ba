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

test('they lead members to the site that shows the space at the moment', async () => {
  assert.equal(await openedBy(member, atApp), [404, null])
  assert.match((await member.get(pathOf(atApp))).text, 'Page not found')
  const { body: site } = await admin.post('/v1/orgs/acme/sites', { spaces: [space.id] })
  const preview = `/~preview/${site.id}/`
  assert.equal(await openedBy(member, atApp), [303, preview])
  assert.equal(await openedBy(member, page.urls.app), [303, `${preview}my%20page`])

  await admin.post(`/v1/orgs/acme/sites/${site.id}/publish`)
  const base = `/sites/acme/${site.basename}/`
  assert.equal(await openedBy(member, page.urls.app), [303, `${base}my%20page`])
  const then = `${base}~/revisions/${tree.id}/`
  assert.equal(await openedBy(member, atRevision), [303, then])
  assert.equal(await openedBy(member, `${atRevision}/p/${page.id}`), [303, `${then}my%20page`])
  assert.is((await member.get(then)).status, 200)

  for (const url of [`${atApp}/p/none`, `${atApp}/history/none`, `${app.url}/app/s/none`])
    assert.equal(await openedBy(member, url), [404, null], url)
})

test('others are asked to sign in, or learn nothing, whether or not the address leads anywhere', async () => {
  for (const url of [atApp, page.urls.app, `${app.url}/app/s/none`]) {
    assert.equal(await openedBy(outsider, url), [404, null])
    const stranger = await new Browser(app.url).get(pathOf(url))
    assert.is(stranger.status, 401)
    assert.match(stranger.text, encodeURIComponent(pathOf(url)))
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
