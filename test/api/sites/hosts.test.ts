import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization } from '../../../src/store/people/organizations.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp({
  STEMMA_PUBLIC_URL: 'https://stemma.example.org',
  STEMMA_SITES_URL: 'https://{org}.sites.example.org',
  STEMMA_SITE_HOSTS: 'docs.acme.example=acme,*.open.example=acme,www.other.example=other',
})
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'
const { id } = (await app.admin.post(sites, { title: 'Hosts' })).body
const patch = async (body: object) => (await app.admin.patch(`${sites}/${id}`, body)).status

test('the hosts of the server itself are refused', async () => {
  for (const host of ['stemma.example.org', 'sites.example.org', 'acme.sites.example.org']) {
    assert.is(await patch({ hostname: host }), 409, host)
    assert.is(await patch({ proxy: `${host}/docs` }), 409, host)
  }
})

test('with one organization on the server, its sites use any other host', async () => {
  assert.is(await patch({ hostname: 'docs.any.example' }), 200)
  assert.is(await patch({ proxy: 'any.example/docs' }), 200)
})

test('with several organizations, the operator assigns the hosts', async () => {
  insertOrganization(app.ctx.store, { id: 'other', title: 'Other', created_at: '2026-01-01T00:00:00.000Z' })
  // What the site has already stays.
  assert.is(await patch({ hostname: 'docs.any.example', title: 'Same host' }), 200)
  assert.is(await patch({ hostname: 'new.any.example' }), 409)
  assert.is(await patch({ hostname: 'www.other.example' }), 409)
  assert.is(await patch({ proxy: 'www.other.example/docs' }), 409)
  assert.is(await patch({ hostname: 'docs.acme.example' }), 200)
  assert.is(await patch({ hostname: 'a.b.open.example' }), 200)
  assert.is(await patch({ proxy: 'docs.acme.example/guides' }), 200)
  assert.is(await patch({ proxy: 'open.example/docs' }), 409)
})

test.run()
