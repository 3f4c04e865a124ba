import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { Browser } from '../../support/http/browser.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const files = { 'README.md': '# Home\n', 'my page.md': '# Page\n\nSeldomword.\n' }
const { api, space } = await makeSpace(app, files, 'Guide')
const { body: request } = await admin.post(`${api}/change-requests`, { subject: 'Words' })
const path = `${api}/change-requests/${request.number}`
const addressNow = async () => (await admin.get(path)).body.urls.app

test('without a site, urls.app of a change request is that of the API', async () => {
  assert.is(request.urls.app, request.urls.location)
  assert.is(await addressNow(), request.urls.location)
})

test('on a site, it is a page that a member opens: in the preview, then on the site', async () => {
  const { body: site } = await admin.post('/v1/orgs/acme/sites', { spaces: [space.id] })
  const preview = await addressNow()
  assert.is(preview, `${app.url}/~preview/${site.id}/~/changes/${request.number}/`)
  const member = new Browser(app.url)
  await member.signIn(app.user('Mia', 'read').token)
  const opened = await member.get(preview.slice(app.url.length))
  assert.is(opened.status, 200)
  assert.match(opened.text, 'Change request #1')

  await admin.post(`/v1/orgs/acme/sites/${site.id}/publish`)
  const published = await addressNow()
  assert.is(published, `${app.url}/sites/acme/${site.basename}/~/changes/${request.number}/`)
  assert.is((await member.get(published.slice(app.url.length))).status, 200)
  const [listed] = (await admin.get(`${api}/change-requests`)).body.items
  assert.is(listed.urls.app, published)

  await admin.patch(`/v1/orgs/acme/sites/${site.id}`, { visibility: 'share-link' })
  assert.is(await addressNow(), preview)
  await admin.patch(`/v1/orgs/acme/sites/${site.id}`, { membersOnly: true })
  assert.is(await addressNow(), published)
  await admin.delete(`/v1/orgs/acme/sites/${site.id}`)
  assert.is(await addressNow(), request.urls.location)
})

test('pages of a change request lead to the same place, as long as the site is there', async () => {
  const pagesNow = async () => {
    const { body: listed } = await admin.get(`${path}/content/pages`)
    const { body: content } = await admin.get(`${path}/content`)
    const { body: found } = await admin.get(`${path}/search?query=Seldomword`)
    const { body: page } = await admin.get(`${path}/content/page/${listed.pages[1].id}`)
    const all = [...listed.pages, ...content.pages, page, found.items[0]]
    return [content, ...all].map(each => each.urls.app as string)
  }
  const ofApi = await pagesNow()
  assert.ok(ofApi.every(url => url.startsWith(`${request.urls.location}/content`)))
  const { body: site } = await admin.post('/v1/orgs/acme/sites', { spaces: [space.id] })
  const expected = (base: string) =>
    ['', '', 'my%20page', '', 'my%20page', 'my%20page', 'my%20page'].map(each => base + each)
  const preview = await addressNow()
  assert.equal(await pagesNow(), expected(preview))
  const member = new Browser(app.url)
  await member.signIn(app.user('Mo', 'read').token)
  const opened = await member.get(`${preview.slice(app.url.length)}my%20page`)
  assert.match(opened.text, 'Seldomword')

  await admin.post(`/v1/orgs/acme/sites/${site.id}/publish`)
  assert.equal(await pagesNow(), expected(await addressNow()))
  await admin.patch(`/v1/orgs/acme/sites/${site.id}`, { basename: 'elsewhere' })
  assert.equal(await pagesNow(), expected(`${app.url}/sites/acme/elsewhere/~/changes/1/`))
  await admin.delete(`/v1/orgs/acme/sites/${site.id}`)
  assert.equal(await pagesNow(), ofApi)
})

test.run()
