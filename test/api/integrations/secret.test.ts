import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken, type NewToken } from '../../../src/actions/people/create-token.ts'
import { putMember } from '../../../src/store/people/organizations.ts'
import { revokeToken } from '../../../src/store/people/tokens.ts'
import { insertProvider } from '../../../src/store/sso/providers.ts'
import { query } from '../../../src/store/store.ts'
import { actor, startApp } from '../../support/app.ts'

const app = await startApp()
test.after(() => app.stop())
const { ctx } = app
const at = '2026-01-01T00:00:00.000Z'
const provider = insertProvider(ctx.store, {
  id: 'okta',
  organization_id: 'acme',
  kind: 'saml',
  label: 'Okta',
  active: 1,
  created_at: at,
  updated_at: at,
})

let made = 0

/** Installs a new integration on "acme", and returns its path and that of the installation. */
async function installed() {
  const path = `/v1/integrations/keyed-${++made}`
  const manifest = { organization: 'acme', title: 'Keyed', description: '', script: '' }
  const published = await app.admin.post(path, { ...manifest, scopes: ['site:metadata:read'] })
  assert.is(published.status, 200, published.text)
  const { body } = await app.admin.post(`${path}/installations`, { organization: 'acme' })
  return { path, at: `${path}/installations/${body.id}` }
}

/**
 * Another admin with a token, its id, and the holders of a secret and of a token that were made
 * with it.
 */
async function withSecret(wish: Partial<NewToken> = {}) {
  const { id: userId } = app.user(`Ada ${++made}`, 'admin')
  const { row, secret } = createToken(ctx.store, { userId, name: 'work', ...wish }, ctx.now())
  const paths = await installed()
  const by = actor(app.url, userId, secret)
  const reply = await by.post(`${paths.path}/secret`)

  assert.is(reply.status, 201, reply.text)
  const integration = actor(app.url, '', reply.body.token)
  const minted = await integration.post(`${paths.at}/tokens`)

  assert.is(minted.status, 200, minted.text)
  const token = actor(app.url, '', minted.body.token)

  assert.is((await token.get('/v1/orgs/acme/sites')).status, 200)

  return { ...paths, userId, row, by, integration, token }
}

const tokensOf = (userId: string) =>
  ctx.store.all(query.selectFrom('token').selectAll().where('user_id', '=', userId).orderBy('seq'))

test('a secret stops working when the user who created it is no longer an admin', async () => {
  const { userId, path, at, integration } = await withSecret()
  putMember(ctx.store, 'acme', userId, 'create', at)
  assert.is((await integration.post(`${at}/tokens`)).status, 403)
  for (const each of [path, at, `${at}/sites`])
    assert.is((await integration.get(each)).status, 403, each)
})

test('a secret stops working when its user is disabled or leaves', async () => {
  for (const end of ['disable', 'leave']) {
    const { userId, at, integration } = await withSecret()
    if (end === 'leave')
      assert.is((await app.admin.delete(`/v1/orgs/acme/members/${userId}`)).status, 204)
    else
      ctx.store.run(query.updateTable('member').set({ disabled: 1 }).where('user_id', '=', userId))
    assert.ok([401, 403].includes((await integration.post(`${at}/tokens`)).status), end)
    assert.ok([401, 403].includes((await integration.get(at)).status), end)
  }
})

test('a secret and the tokens that it created end with the token that created it', async () => {
  const { row, at, integration, token } = await withSecret()
  revokeToken(ctx.store, row.id, ctx.now().toISOString())
  assert.is((await integration.get(at)).status, 401)
  assert.is((await token.get('/v1/orgs/acme/sites')).status, 401)
})

test('a secret and tokens of installations expire with the token that creates them at the latest', async () => {
  const expiresAt = new Date(ctx.now().getTime() + 600_000).toISOString()
  const { userId, at, by } = await withSecret({ expiresAt })
  assert.equal(
    tokensOf(userId)
      .slice(-2)
      .map(each => each.expires_at),
    [expiresAt, expiresAt],
  )
  await by.post(`${at}/tokens`)
  const newest = ctx.store.get(
    query
      .selectFrom('token')
      .selectAll()
      .where('installation_id', 'is not', null)
      .orderBy('seq', 'desc'),
  )

  assert.is(newest?.expires_at, expiresAt)
})

test('a secret and its tokens end when the identity provider that they came through does', async () => {
  const { at, integration, token } = await withSecret({
    providerId: provider.id,
    organizationId: 'acme',
  })
  ctx.store.run(query.updateTable('sso_provider').set({ active: 0 }).where('id', '=', provider.id))
  assert.is((await integration.get(at)).status, 401)
  assert.is((await token.get('/v1/orgs/acme/sites')).status, 401)
})

test('a secret does not work where the owner does not accept the token that created it', async () => {
  const { row, at, integration } = await withSecret()
  assert.ok((await app.admin.delete(`/v1/orgs/acme/tokens/${row.id}`)).status < 300)
  assert.ok([401, 403].includes((await integration.post(`${at}/tokens`)).status))
})

test('a new secret ends the former one and its tokens, and an integration with both is unpublished', async () => {
  const { path, at, by, integration, token } = await withSecret()
  const { body } = await by.post(`${path}/secret`)
  assert.is((await integration.get(at)).status, 401)
  assert.is((await token.get('/v1/orgs/acme/sites')).status, 401)
  const next = actor(app.url, '', body.token)
  assert.is((await next.post(`${at}/tokens`)).status, 200)
  assert.is((await app.admin.delete(path)).status, 204)
  assert.is((await next.get(at)).status, 401)
})

test('the creation of a token of an installation is audited without the token', async () => {
  const { userId, at } = await withSecret()
  const { body, text } = await app.admin.get(
    '/v1/orgs/acme/audit-events?action=integration.token_created&limit=1',
  )
  const [event] = body.items
  assert.is(event.details.installation, at.split('/').at(-1))
  assert.is(event.details.user, app.admin.id)
  assert.ok(Date.parse(event.details.expires_at) > ctx.now().getTime() - 1000)
  assert.match(JSON.stringify(event), userId)
  assert.not.match(text, /stt_|sti_/)
})

test.run()
