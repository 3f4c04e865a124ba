import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertTeam } from '../../../src/store/people/teams.ts'
import { startApp } from '../../support/app.ts'
import { keyPair } from '../../support/sso/certificates.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())
const path = '/v1/orgs/acme/saml'
const at = '2026-01-01T00:00:00.000Z'
insertTeam(app.ctx.store, { id: 'docs', organization_id: 'acme', title: 'Docs', created_at: at })
const { certificate, key } = keyPair('idp')
const whole = { entityID: 'urn:idp', ssoURL: 'https://idp.example.org/sso', certificate }

test('a provider is pending until it has an address, an entity ID and a certificate', async () => {
  const made = await admin.post(path, { label: 'Okta' })
  assert.is(made.status, 201)
  const { id, status, ssoURL, defaultRole, service, urls } = made.body
  assert.equal([status, ssoURL, defaultRole], ['pending', 'about:blank', null])
  const start = `${app.url}/sso/saml/${id}`

  assert.equal(service, { startURL: start, acsURL: `${start}/acs`, entityID: `${start}/metadata` })
  assert.is(made.headers.get('location'), urls.location)
  assert.equal((await app.anonymous.get('/v1/orgs/acme/sso')).body, { items: [] })
  const active = await admin.patch(`${path}/${id}`, {
    ...whole,
    defaultTeam: 'docs',
    defaultRole: 'edit',
  })

  assert.equal([active.body.status, active.body.defaultTeam.title], ['active', 'Docs'])
  assert.equal((await admin.get(`${path}/${id}`)).body, active.body)
  const logins = { items: [{ id, label: 'Okta', startURL: start }] }

  assert.equal((await app.anonymous.get('/v1/orgs/acme/sso')).body, logins)
  await admin.patch('/v1/orgs/acme', { hostname: 'acme-docs' })
  assert.equal((await app.anonymous.get('/v1/orgs/acme-docs/sso')).body, logins)
  assert.equal((await app.anonymous.get('/v1/orgs/unknown/sso')).body, { items: [] })
  assert.is((await admin.patch(`${path}/${id}`, { certificate: '' })).body.status, 'pending')
  assert.is((await admin.delete('/v1/orgs/acme/teams/docs')).status, 204)
  assert.not('defaultTeam' in (await admin.get(`${path}/${id}`)).body)
  assert.is((await admin.get(path)).body.count, 1)
  assert.is((await admin.delete(`${path}/${id}`)).status, 204)
  assert.is((await admin.delete(`${path}/${id}`)).status, 204)
  assert.is((await admin.get(`${path}/${id}`)).status, 404)
})

test('the attribute with the address is set, kept and taken away', async () => {
  const made = (await admin.post(path, { label: 'ADFS', ...whole, emailAttribute: 'mail' })).body
  assert.is(made.emailAttribute, 'mail')
  const url = `${path}/${made.id}`

  assert.is((await admin.patch(url, { label: 'X' })).body.emailAttribute, 'mail')
  assert.is((await admin.patch(url, { emailAttribute: null })).body.emailAttribute, null)
  assert.is((await admin.patch(url, { emailAttribute: '' })).status, 400)
  await admin.delete(url)
})

test('certificates that cannot verify signatures are refused', async () => {
  const { ctx } = app
  const refused: [certificate: string, message: RegExp][] = [
    [key, /private key/],
    [certificate + key, /private key/],
    [keyPair('ec', { kind: 'ec' }).certificate, /RSA/],
    [keyPair('small', { kind: 'rsa:1024' }).certificate, /2048/],
    ['garbage', /X\.509/],
    [`${certificate}\ngarbage`, /PEM and nothing else/],
    ['a'.repeat(10_001), /certificate/],
  ]

  for (const [text, message] of refused) {
    const reply = await admin.post(path, { label: 'Bad', certificate: text })
    assert.is(reply.status, 400, text.slice(0, 40))
    assert.match(reply.body.error.message, message)
  }

  assert.is((await admin.get(path)).body.count, 0)
  const both = `${certificate}${keyPair('next').certificate}`
  const bare = certificate.replace(/-----[A-Z ]+-----/g, '')

  for (const text of [both, bare]) {
    const made = await admin.post(path, { label: 'Good', ...whole, certificate: text })
    assert.is(made.body.status, 'active', made.text)
    await admin.delete(`${path}/${made.body.id}`)
  }

  assert.ok(ctx)
})

test('addresses, teams and roles that do not fit are refused', async () => {
  const refused: [body: object, status: number][] = [
    [{ label: '' }, 400],
    [{ label: 'x'.repeat(31) }, 400],
    [{ label: 'x', ssoURL: 'http://idp.example.org/' }, 400],
    [{ label: 'x', ssoURL: 'javascript:alert(1)' }, 400],
    [{ label: 'x', ssoURL: 'https://user@idp.example.org/' }, 400],
    [{ label: 'x', ssoURL: `${app.url}/sso` }, 400],
    [{ label: 'x', defaultTeam: 'nowhere' }, 404],
    [{ label: 'x', defaultRole: 'owner' }, 400],
    [{ label: 'x', status: 'active' }, 400],
  ]
  for (const [body, status] of refused)
    assert.is((await admin.post(path, body)).status, status, JSON.stringify(body))
})

test('an organization has at most 20 providers', async () => {
  for (let n = 0; n < 20; n++) assert.is((await admin.post(path, { label: `P${n}` })).status, 201)
  assert.is((await admin.post(path, { label: 'One more' })).status, 409)
})

test('the exchange of a code for a token takes no Idempotency-Key, with which the token would be stored', async () => {
  const asked = { code: 'c'.repeat(43), code_verifier: 'v'.repeat(43) }
  const reply = await admin.post('/v1/sso/token', asked, { 'idempotency-key': 'once' })
  assert.is(reply.status, 400)
  assert.match(reply.text, /Idempotency-Key/)
})

test.run()
