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

test('the addresses of a proxy do not lie inside those of another site, or around them', async () => {
  const other = (await app.admin.post(sites, { title: 'Other' })).body.id
  const claim = async (body: object) => (await app.admin.patch(`${sites}/${other}`, body)).status
  assert.is(
    await patch({ hostname: 'docs.company.example', proxy: 'company.example/docs/en' }),
    200,
  )

  for (const [body, status] of [
    [{ proxy: 'docs.company.example/login' }, 409],
    [{ proxy: 'company.example/docs/en/login' }, 409],
    [{ proxy: 'company.example/docs' }, 409],
    [{ proxy: 'company.example/docs/english' }, 200],
    [{ proxy: 'company.example/blog' }, 200],
    [{ proxy: 'www.company.example/docs/en/login' }, 200],
    [{ hostname: 'www.company.example' }, 200],
  ] as const)
    assert.is(await claim(body), status, JSON.stringify(body))

  // The other site has them, so that this one cannot.
  assert.is(await patch({ hostname: 'www.company.example' }), 409)
  assert.is(await claim({ hostname: null }), 200)
  assert.is(await patch({ hostname: 'www.company.example' }), 409)

  // The hostname and the proxy of one site may have the same host.
  assert.is(await patch({ proxy: 'docs.company.example/guides' }), 200)
  assert.is(await claim({ proxy: null }), 200)
  assert.is(await patch({ hostname: 'www.company.example' }), 200)
  const { text } = await app.admin.patch(`${sites}/${other}`, { hostname: 'docs.company.example' })

  assert.match(text, /the proxy of another site/)
  assert.is((await app.admin.delete(`${sites}/${other}`)).status, 204)
  assert.is(await patch({ hostname: 'docs.any.example', proxy: 'any.example/docs' }), 200)
})

test('with several organizations, the operator assigns the hosts', async () => {
  insertOrganization(app.ctx.store, {
    id: 'other',
    title: 'Other',
    created_at: '2026-01-01T00:00:00.000Z',
  })

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
