import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { admin } = app
const guest = app.user('Gus', null)
const creator = app.user('Cleo', 'create')
const stranger = app.user('Sid')
test.after(() => app.stop())

test('a subdomain stands for an organization of the caller', async () => {
  assert.is((await admin.get('/v1/subdomains/acme-docs')).status, 404)
  assert.is((await admin.patch('/v1/orgs/acme', { hostname: 'acme-docs' })).status, 200)
  const { status, body } = await guest.get('/v1/subdomains/acme-docs')
  assert.equal(
    [status, body.target, body.isActive],
    [200, { type: 'organization', organization: 'acme' }, true],
  )
  const hidden = await stranger.get('/v1/subdomains/acme-docs')

  assert.is(hidden.status, 404)
  assert.not.match(hidden.text, /"acme"/)
  assert.is((await app.anonymous.get('/v1/subdomains/acme-docs')).status, 401)
})

test('a custom host name stands for a site, for its admins', async () => {
  const { id } = (await admin.post('/v1/orgs/acme/sites', { title: 'Named' })).body
  assert.is(
    (await admin.patch(`/v1/orgs/acme/sites/${id}`, { hostname: 'docs.example.org' })).status,
    200,
  )
  const { status, body } = await admin.get('/v1/custom-hostnames/docs.example.org')
  assert.equal([status, body.target, body.status], [200, { type: 'site', site: id }, 'live'])
  assert.is((await creator.get('/v1/custom-hostnames/docs.example.org')).status, 403)
  assert.is((await guest.get('/v1/custom-hostnames/docs.example.org')).status, 404)
  assert.is((await admin.get('/v1/custom-hostnames/other.example.org')).status, 404)

  const name = '/v1/custom-hostnames/docs.example.org'
  assert.equal(
    [(await admin.request('PATCH', name)).status, (await creator.request('PATCH', name)).status],
    [204, 403],
  )
  assert.is((await guest.request('PATCH', name)).status, 404)
  assert.is((await creator.delete(name)).status, 403)
  assert.is((await guest.delete(name)).status, 204)
  assert.is((await admin.get(name)).status, 200)
  assert.equal([(await admin.delete(name)).status, (await admin.delete(name)).status], [204, 204])
  assert.is((await admin.get(name)).status, 404)
  assert.is((await admin.get(`/v1/orgs/acme/sites/${id}`)).body.hostname, undefined)
})

test.run()
