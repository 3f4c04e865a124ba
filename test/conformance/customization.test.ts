import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readStructure } from '../../src/store/sites/structure.ts'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'

let app: App
let admin: Driven
test.before(async () => {
  app = await startApp()
  admin = clientFor(app, app.admin)
})
test.after(() => app.stop())

test('the customization of a site and of a site space', async () => {
  const { orgs } = admin.client
  const space = (await orgs.createSpace('acme', { title: 'Guides' })).data
  const site = (await orgs.createSite('acme', { spaces: [space.id] })).data
  const siteSpaceId = readStructure(app.ctx.store, site.id).siteSpaces[0]?.id as string

  const settings = (await orgs.getSiteCustomizationById('acme', site.id, { unmasked: false })).data
  const both = { light: '#123456', dark: '#abc' }
  const changed = await orgs.updateSiteCustomizationById('acme', site.id, {
    ...settings,
    title: 'Acme documentation',
    styling: { ...settings.styling, tint: { color: both } },
    favicon: { emoji: '📘' },
    header: {
      ...settings.header,
      links: [{ title: 'Home', to: { kind: 'url', url: 'https://example.org/' }, links: [] }],
    },
    announcement: { enabled: true, message: 'Hello', style: 'info' },
  })

  assert.equal(changed.data.styling.tint, { color: both })
  assert.equal((await orgs.getSiteById('acme', site.id)).data.icon, { emoji: '📘' })

  const overridden = await orgs.overrideSiteSpaceCustomizationById('acme', site.id, siteSpaceId, {
    title: 'Version 1',
    styling: { theme: 'bold' as never, tint: null },
    header: { links: [] },
  })

  assert.equal([overridden.data.title, overridden.data.header.links], ['Version 1', []])
  await orgs.deleteSiteSpaceCustomizationById('acme', site.id, siteSpaceId)
  const reset = (await orgs.getSiteSpaceCustomizationById('acme', site.id, siteSpaceId)).data

  assert.equal(reset, changed.data)
})

test('every operation that the client has for these was called', () => {
  assert.equal(notDriven(/\/customization$/, admin.done), [])
})

test.run()
