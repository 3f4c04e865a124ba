import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'

let app: App
let admin: Driven
let siteId: string
test.before(async () => {
  app = await startApp()
  admin = clientFor(app, app.admin)
  const { id } = (await admin.client.orgs.createSite('acme', { title: 'Docs' })).data
  siteId = id
})
test.after(() => app.stop())

test('share links', async () => {
  const { orgs } = admin.client
  const made = (await orgs.createSiteShareLink('acme', siteId, { name: 'Partners' })).data
  assert.equal((await orgs.listSiteShareLinks('acme', siteId, { limit: 10 })).data.items, [made])
  const off = await orgs.updateSiteShareLinkById('acme', siteId, made.id, { active: false })
  assert.is(off.data.active, false)
  assert.is((await orgs.deleteSiteShareLinkById('acme', siteId, made.id)).status, 204)
})

test('every operation on the audience of sites is called', () => {
  assert.equal(notDriven(/\/share-links/, admin.done), [])
})

test.run()
