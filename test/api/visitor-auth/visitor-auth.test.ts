import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findSite } from '../../../src/store/sites/sites.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
test.after(() => app.stop())

const { id: site } = (await app.admin.post('/v1/orgs/acme/sites', { title: 'Guides' })).body
const at = `/v1/orgs/acme/sites/${site}/publishing/auth`

const fallback = async (fallbackURL: string | null) => {
  const { status, body } = await app.admin.patch(at, { fallbackURL })
  return status === 200 ? body.fallbackURL : status
}

test('the key of a site has 48 characters and does not change by itself', async () => {
  const { body } = await app.admin.get(at)
  assert.equal([body.backend, body.fallbackURL], ['custom', undefined])
  assert.match(body.privateKey, /^[0-9A-Za-z]{48}$/)
  assert.equal((await app.admin.get(at)).body, body)
  assert.is((await creator.get(at)).status, 403)
})

test('the fallback address is set, kept and removed', async () => {
  assert.is(await fallback('https://login.example.org/in?x=1'), 'https://login.example.org/in?x=1')
  assert.is((await app.admin.patch(at, {})).body.fallbackURL, 'https://login.example.org/in?x=1')
  assert.is(await fallback('http://localhost:8080/login'), 'http://localhost:8080/login')
  assert.is(await fallback('https://10.0.0.1/'), 'https://10.0.0.1/')
  assert.is(await fallback(null), undefined)
})

test('a fallback address that is unsafe or leads back to the site is refused', async () => {
  const refused = [
    'javascript:alert(1)',
    'http://10.0.0.1/',
    'https://user@example.org/',
    'https://login.example.org/?location=x',
    `${app.url}/sites/acme/guides/login`.replace('http:', 'https:'),
    `https://example.org/${'x'.repeat(2048)}`,
  ]
  for (const each of refused) assert.is(await fallback(each), 400, each)
})

test('the backend "integration" needs an integration', async () => {
  assert.is((await app.admin.patch(at, { backend: 'custom' })).status, 200)
  for (const body of [{ backend: 'integration' }, { integration: 'okta' }, { privateKey: 'mine' }])
    assert.is((await app.admin.patch(at, body)).status, 400)
})

test('a new key replaces the former one and ends reading tokens', async () => {
  const before = (await app.admin.get(at)).body
  const version = () => findSite(app.ctx.store, site)?.access_version ?? 0
  const was = version()
  const after = await app.admin.post(`${at}/regenerate`)
  assert.is(after.status, 200, after.text)
  assert.is.not(after.body.privateKey, before.privateKey)
  assert.equal((await app.admin.get(at)).body, after.body)
  assert.is(version(), was + 1)
})

test('the audit log names what changed, never a key', async () => {
  const { text, body } = await app.admin.get('/v1/orgs/acme/audit-events?limit=100')
  const actions = body.items.map((each: { action: string }) => each.action)
  assert.ok(
    actions.includes('visitor_auth.updated') && actions.includes('visitor_auth.key_regenerated'),
  )
  assert.not.ok(text.includes((await app.admin.get(at)).body.privateKey))
})

test.run()
