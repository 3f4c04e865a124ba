import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'
import { publishedSite, readerOf } from '../support/sites.ts'

let app: App
let admin: Driven
test.before(async () => {
  app = await startApp()
  admin = clientFor(app, app.admin)
})
test.after(() => app.stop())

test('the published profile of a site, for a member and for a reader', async () => {
  const { orgs } = admin.client
  const spaces = await Promise.all(
    ['Guides', 'API'].map(async title => (await orgs.createSpace('acme', { title })).data.id),
  )
  const { id } = await publishedSite(app, spaces)
  const reader = clientFor(app, readerOf(app, id)).client

  for (const client of [admin.client, reader]) {
    const { site, structure, customizations } = (
      await client.orgs.getPublishedContentSite('acme', id)
    ).data
    assert.equal([site.id, structure.structure.length], [id, 2])
    assert.is(Object.keys(customizations.siteSpaces).length, 2)
  }

  assert.is((await reader.spaces.getSpaceById(spaces[0] as string)).data.title, 'Guides')
})

test('every operation that the client has for these was called', () => {
  assert.equal(notDriven(/\/sites\/.*\/published$/, admin.done), [])
})

test.run()
