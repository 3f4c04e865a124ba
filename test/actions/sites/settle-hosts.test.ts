import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkHost } from '../../../src/actions/sites/check-host.ts'
import { settleHosts } from '../../../src/actions/sites/settle-hosts.ts'
import { readConfig } from '../../../src/config.ts'
import type { Context } from '../../../src/context.ts'
import {
  findOrganization,
  insertOrganization,
  updateOrganization,
} from '../../../src/store/people/organizations.ts'
import { findSite, findSiteByHostname, updateSite } from '../../../src/store/sites/sites.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp({ STEMMA_PUBLIC_URL: 'https://stemma.example.org' })
test.after(() => app.stop())
const { store } = app.ctx
const at = '2026-01-01T00:00:00.000Z'
const { id } = (await app.admin.post('/v1/orgs/acme/sites', { title: 'Docs' })).body
const path = `/v1/orgs/acme/sites/${id}`

/** Starts the server with these rules, as far as hosts are concerned. */
function withRules(rules: string): Context {
  const { siteHosts } = readConfig({
    STEMMA_DATA: app.dataDir,
    ...(rules && { STEMMA_SITE_HOSTS: rules }),
  })
  const ctx = { ...app.ctx, config: { ...app.ctx.config, siteHosts } }
  settleHosts(ctx)
  return ctx
}
const may = (ctx: Context, organization: string, host: string): boolean => {
  try {
    checkHost(ctx, organization, host)
    return true
  } catch {
    return false
  }
}
const events = async (organization = 'acme') =>
  (await app.admin.get(`/v1/orgs/${organization}/audit-events?limit=100`)).text

test('a host that a site has since the server had one organization stays, until it is given to another', () => {
  updateSite(store, id, { hostname: 'docs.first.example' })
  insertOrganization(store, { id: 'globex', title: 'Globex', created_at: at })
  withRules('')
  assert.is(findSite(store, id)?.hostname, 'docs.first.example')
  withRules('docs.first.example=globex')
  assert.is(findSite(store, id)?.hostname, null)
})

test('a withdrawn host is said to the admin, in the audit log, and comes back with the rule', async () => {
  const { body } = await app.admin.get(path)
  assert.equal([body.hostname, body.withdrawnHostname], [undefined, 'docs.first.example'])
  assert.match(await events(), /STEMMA_SITE_HOSTS/)
  withRules('docs.first.example=acme')
  assert.is(findSite(store, id)?.hostname, 'docs.first.example')
  assert.is(findSite(store, id)?.withdrawn_hostname, null)
})

test('a removed rule takes its hosts back, and they are free', () => {
  updateSite(store, id, { proxy_origin: 'www.first.example/docs' })
  withRules('*.first.example=acme')
  assert.is(findSite(store, id)?.hostname, 'docs.first.example')
  withRules('')
  const row = findSite(store, id)

  assert.equal([row?.hostname, row?.proxy_origin], [null, null])
  assert.equal(
    [row?.withdrawn_hostname, row?.withdrawn_proxy_origin],
    ['docs.first.example', 'www.first.example/docs'],
  )
  assert.is(findSiteByHostname(store, 'docs.first.example'), undefined)
})

test('a host that another site took meanwhile does not come back', async () => {
  const other = (await app.admin.post('/v1/orgs/acme/sites', { title: 'Other' })).body.id
  updateSite(store, other, { hostname: 'docs.first.example' })
  withRules('docs.first.example=acme,www.first.example=acme')
  assert.is(findSite(store, id)?.hostname, null)
  assert.is(findSite(store, id)?.proxy_origin, 'www.first.example/docs')
  assert.is((await app.admin.patch(path, { hostname: null })).body.withdrawnHostname, undefined)
})

test('a rule stays with the organization that it named first', () => {
  updateOrganization(store, 'acme', { hostname: 'acme-inc' })
  let ctx = withRules('*.named.example=acme-inc')
  assert.ok(may(ctx, 'acme', 'a.named.example'))
  updateOrganization(store, 'acme', { hostname: 'acme-new' })
  updateOrganization(store, 'globex', { hostname: 'acme-inc' })
  ctx = withRules('*.named.example=acme-inc')
  assert.equal(
    [may(ctx, 'acme', 'a.named.example'), may(ctx, 'globex', 'a.named.example')],
    [true, false],
  )

  // Without the rule it is forgotten; a rule that comes again names the organization of now.
  withRules('')
  ctx = withRules('*.named.example=acme-inc')
  assert.equal(
    [may(ctx, 'acme', 'a.named.example'), may(ctx, 'globex', 'a.named.example')],
    [false, true],
  )
  updateOrganization(store, 'globex', { hostname: null })
})

test('a rule that names nothing counts once the operator creates the organization', () => {
  const ctx = withRules('docs.later.example=later')
  assert.not(may(ctx, 'acme', 'docs.later.example'))
  insertOrganization(store, { id: 'later', title: 'Later', created_at: at })
  assert.ok(may(ctx, 'later', 'docs.later.example'))
})

test('the most specific rule decides', () => {
  const ctx = withRules('*.wide.example=acme,docs.wide.example=globex,*.in.wide.example=later')
  const who = (host: string) => ['acme', 'globex', 'later'].filter(each => may(ctx, each, host))
  assert.equal(who('a.wide.example'), ['acme'])
  assert.equal(who('docs.wide.example'), ['globex'])
  assert.equal(who('x.in.wide.example'), ['later'])
  assert.equal(who('in.wide.example'), ['acme'])
})

test('a start with the same rules writes nothing', () => {
  for (const rules of ['*.wide.example=acme,docs.wide.example=globex', '']) {
    withRules(rules)
    const version = store.version()
    withRules(rules)
    assert.is(store.version(), version, rules)
  }
})

test('a hostname from before that is the id of another organization is removed', async () => {
  updateOrganization(store, 'acme', { hostname: 'globex' })
  withRules('')
  assert.is(findOrganization(store, 'acme')?.hostname, null)
  assert.match(await events(), /id-of-another/)
})

test.run()
