import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven } from '../support/http/client.ts'

let app: App
let admin: Driven
test.before(async () => {
  app = await startApp()
  admin = clientFor(app, app.admin)
})
test.after(() => app.stop())

test('the life of a site', async () => {
  const { orgs } = admin.client
  const space = (await orgs.createSpace('acme', { title: 'Guides' })).data
  const site = (await orgs.createSite('acme', { title: 'Documentation', spaces: [space.id] })).data
  assert.is((await orgs.listSites('acme', { title: 'doc' })).data.count, 1)
  const changed = await orgs.updateSiteById('acme', site.id, {
    title: 'Manual',
    visibility: 'unlisted' as never,
    basename: 'manual',
    adaptiveContent: { enabled: true },
    agentsContext: 'excluded' as never,
    proxy: 'example.org/docs',
  })

  assert.equal([changed.data.title, changed.data.proxy?.origin], ['Manual', 'example.org/docs'])
  const published = (await orgs.publishSite('acme', site.id)).data

  assert.ok('published' in published && published.published)
  assert.is((await admin.client.spaces.getSpaceById(space.id)).data.visibility, 'unlisted')
  assert.is((await orgs.unpublishSite('acme', site.id)).data.published, false)
  assert.is((await orgs.getSiteById('acme', site.id)).data.urls.published, undefined)
  await orgs.updateOrganizationById('acme', {
    defaultContent: { type: 'site', site: site.id } as never,
  })
  await orgs.deleteSiteById('acme', site.id)
  assert.is((await orgs.getOrganizationById('acme')).data.defaultContent, undefined)
})

test('permissions on a site, and the names that stand for sites', async () => {
  const { orgs, subdomains } = admin.client
  const site = (await orgs.createSite('acme', { title: 'Names' })).data
  const { items } = (await orgs.listPermissionsAggregateInSite('acme', site.id, { limit: 10 })).data
  assert.equal(
    items.map(({ user, permission, origin }) => [user.id, permission, origin]),
    [['ada', 'admin', { type: 'organization', organization: 'acme' }]],
  )
  await orgs.updateOrganizationById('acme', { hostname: 'acme-docs' })
  const { target } = (await subdomains.getSubdomain('acme-docs')).data

  assert.is(target.type === 'organization' && target.organization, 'acme')
})

test.run()
