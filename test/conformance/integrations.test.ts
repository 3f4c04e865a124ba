import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven } from '../support/http/client.ts'

let app: App
let admin: Driven
test.before(async () => {
  app = await startApp({ STEMMA_SITES_URL: 'http://sites.example.test' })
  admin = clientFor(app, app.admin)
})
test.after(() => app.stop())

test('an integration is published, installed on a site, used and unpublished', async () => {
  const { integrations, orgs } = admin.client
  const space = (await orgs.createSpace('acme', { title: 'Guides' })).data
  const site = (await orgs.createSite('acme', { title: 'Guides', spaces: [space.id] })).data
  await orgs.publishSite('acme', site.id)
  const published = await integrations.publishIntegration('analytics', {
    organization: 'acme',
    title: 'Analytics',
    description: 'Counts visits.',
    summary: '# Analytics',
    scopes: [
      'site:script:inject',
      'site:script:cookies',
      'site:metadata:read',
      'space:content:read',
    ] as never,
    categories: ['analytics'] as never,
    script: 'export default {}',
    publishedScript: 'start(__CONFIGURATION__)',
    blocks: [{ id: 'chart', title: 'Chart', urlUnfurl: ['https://charts.example.com/**'] }],
    contentSources: [{ id: 'sheet', title: 'Sheet', configuration: { componentId: 'sheet' } }],
    configurations: {
      account: { componentId: 'account' },
      site: { properties: { tag: { type: 'string', title: 'Tag' } }, required: ['tag'] },
    },
    externalLinks: [{ url: 'https://example.com/', label: 'Homepage' }],
    contentSecurityPolicy: { 'script-src': 'https://cdn.example.com' },
    secrets: { API: 'secret' },
  } as never)

  assert.is(published.data.version, 1)
  assert.is(
    (await integrations.listIntegrations({ category: 'analytics' as never })).data.items.length,
    1,
  )
  assert.is((await orgs.listOrganizationIntegrations('acme', {})).data.items.length, 1)
  assert.is((await integrations.getIntegrationByName('Analytics')).data.name, 'analytics')

  const installed = await integrations.installIntegration('analytics', { organization: 'acme' })
  const { id } = installed.data

  await integrations.updateIntegrationInstallation('analytics', id, {
    configuration: { anything: { nested: true } },
    externalIds: ['T1'],
    site_selection: 'selected' as never,
  })

  assert.is(
    (await integrations.getIntegrationInstallationById('analytics', id)).data.status,
    'active',
  )

  assert.is(
    (await orgs.listOrganizationInstallations('acme', {})).data.items[0]?.installation.id,
    id,
  )

  await integrations.installIntegrationOnSite('analytics', id, { siteId: site.id })
  const onSite = await integrations.updateIntegrationSiteInstallation('analytics', id, site.id, {
    configuration: { tag: 'A-1' },
  })

  assert.is(onSite.data.status, 'active')
  await integrations.getIntegrationSiteInstallation('analytics', id, site.id, { extended: true })
  await integrations.listIntegrationInstallationSites('analytics', id, {})
  assert.is((await orgs.listSiteIntegrations('acme', site.id, {})).data.items.length, 1)
  const scripts = (await orgs.listSiteIntegrationScripts('acme', site.id)).data

  assert.equal([scripts.length, scripts[0]?.cookies], [1, true])
  assert.equal((await orgs.getPublishedContentSite('acme', site.id, {})).data.scripts, scripts)

  const { token } = (await integrations.createIntegrationInstallationToken('analytics', id)).data
  const own = clientFor(app, { ...app.admin, token })

  assert.is((await own.client.orgs.listSites('acme', {})).data.items.length, 1)
  await own.client.spaces.getCurrentRevision(space.id)

  await integrations.uninstallIntegrationFromSite('analytics', id, site.id)
  await integrations.uninstallIntegration('analytics', id)
  await integrations.unpublishIntegration('analytics')
  assert.is((await integrations.listIntegrations({})).data.items.length, 0)
})

test.run()
