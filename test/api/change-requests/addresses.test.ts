import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { Browser } from '../../support/http/browser.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const { api, space } = await makeSpace(app, { 'README.md': '# Home\n' }, 'Guide')
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

test.run()
