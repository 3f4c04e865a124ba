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

test('the adaptive schema', async () => {
  const { orgs } = admin.client
  const jsonSchema = {
    type: 'object' as const,
    properties: {
      plan: { type: 'string' as const, description: 'Plan', enum: ['free', 'pro'] },
      beta: { type: 'boolean' as const, description: 'Beta' },
    },
    additionalProperties: false,
  }
  const set = (
    await orgs.updateSiteAdaptiveSchema('acme', siteId, { jsonSchema: jsonSchema as never })
  ).data
  assert.equal(set.jsonSchema as unknown, jsonSchema)
  assert.equal((await orgs.getSiteAdaptiveSchema('acme', siteId)).data, set)
  const { items } = (await orgs.listSiteAdaptiveTemplateConditions('acme', siteId)).data

  assert.is(items.length, 3)
})

test('sign-in of visitors', async () => {
  const { orgs } = admin.client
  const auth = (await orgs.getSitePublishingAuthById('acme', siteId)).data
  const set = await orgs.updateSitePublishingAuthById('acme', siteId, {
    backend: 'custom',
    fallbackURL: 'https://login.example.org/',
  })

  assert.equal(set.data as unknown, { ...auth, fallbackURL: 'https://login.example.org/' })
  const { privateKey } = (await orgs.regenerateSitePublishingAuthById('acme', siteId)).data

  assert.is.not(privateKey, auth.privateKey)
})

test('addresses of published content', async () => {
  const { orgs, urls } = admin.client
  const space = (await orgs.createSpace('acme', { title: 'Guides' })).data
  const { id } = (await orgs.createSite('acme', { spaces: [space.id] })).data
  const site = (await orgs.publishSite('acme', id)).data
  const url = 'urls' in site ? (site.urls.published as string) : ''
  const found = (await urls.resolvePublishedContentByUrl({ url: `${url}page` })).data

  assert.equal((await urls.getPublishedContentByUrl({ url: `${url}page` })).data, found)
  assert.is(
    'redirect' in (await urls.resolvePublishedContentByUrl({ url: `${url}/page` })).data,
    true,
  )
  const preview = (await orgs.getSitePublishingPreviewById('acme', id, {})).data
  const previewed = (await urls.resolvePublishedContentByUrl({ url: preview.url })).data

  assert.is('space' in previewed && previewed.space, space.id)
})

test('every operation on the audience of sites is called', () => {
  assert.equal(
    notDriven(/\/(?:share-links|adaptive-schema|publishing\/|urls\/published)/, admin.done),
    [],
  )
})

test.run()
