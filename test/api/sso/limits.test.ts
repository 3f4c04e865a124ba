import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createProviderToken } from '../../../src/actions/sso/provider-token.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { findProvider } from '../../../src/store/sso/providers.ts'
import { findRequest } from '../../../src/store/sso/requests.ts'
import type { SsoProviderRow, UserRow } from '../../../src/store/tables/rows.ts'
import { actor, startApp } from '../../support/app.ts'
import { withStoppedClock } from '../../support/http/stopped-clock.ts'
import { Browser, newSamlProvider, signInWith } from '../../support/sso/browser.ts'
import { putRequest } from '../../support/sso/rows.ts'

const app = await startApp({ STEMMA_TRUST_PROXY: 'loopback' })
const { admin, ctx } = app
test.after(() => app.stop())
const provider = await newSamlProvider(app, { defaultRole: 'edit' })
const path = '/v1/orgs/acme/saml'

test('lists of providers are limited by address for callers without a token', async () => {
  const from = (address: string) =>
    app.anonymous.get('/v1/orgs/acme/sso', { 'x-forwarded-for': address })
  await withStoppedClock(async () => {
    for (let n = 0; n < 100; n++) assert.is((await from('192.0.2.1')).status, 200)
    const refused = await from('192.0.2.1')

    assert.is(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.is((await from('192.0.2.2')).status, 200)
    assert.is((await admin.get('/v1/orgs/acme/sso')).status, 200)
  })
})

test('of 10,000 sign-ins under way, a new one ends the oldest', async () => {
  const at = (seconds: number) => new Date(ctx.now().getTime() + seconds * 1000).toISOString()
  const isThere = (id: string) => findRequest(ctx.store, provider.id, id, at(0)) !== undefined
  const [oldest, second] = [300, 301].map(seconds =>
    putRequest(ctx, provider.id, { expires_at: at(seconds) }),
  ) as [string, string]
  const begin = () => new Browser(app).get(provider.service.startURL)

  ctx.store.transact(() => {
    for (let n = 2; n < 10_000; n++) putRequest(ctx, provider.id, { expires_at: at(400) })
    putRequest(ctx, provider.id, { expires_at: at(-1) })
  })
  assert.is((await begin()).status, 302)
  assert.equal([oldest, second].map(isThere), [false, true])
  assert.is((await begin()).status, 302)
  assert.equal([oldest, second].map(isThere), [false, false])
  assert.is((await admin.delete(`${path}/${provider.id}`)).status, 204)
})

test('a sign-in ends the oldest token of the same member and provider when there are more than 20', async () => {
  const [one, other] = [await newSamlProvider(app), await newSamlProvider(app, { label: 'Other' })]
  const email = 'many@example.org'
  const first = await signInWith(app, one, { email })
  const { id } = first.user
  const oldest = actor(app.url, id, first.token)
  const child = (await oldest.post('/v1/user/tokens', { name: 'Child' })).body.token
  const statuses = () =>
    Promise.all(
      [first.token, child].map(
        async each => (await actor(app.url, id, each).get('/v1/user')).status,
      ),
    )

  const sign = (providerId: string) =>
    createProviderToken(
      ctx,
      {
        provider: findProvider(ctx.store, providerId) as SsoProviderRow,
        user: findUser(ctx.store, id) as UserRow,
        name: 'One more',
        sessionEndsAt: null,
      },
      null,
    )

  ctx.store.transact(() => {
    for (let n = 0; n < 19; n++) sign(one.id)
    for (let n = 0; n < 21; n++) sign(other.id)
  })
  assert.equal(await statuses(), [200, 200])
  const last = await signInWith(app, one, { email })

  assert.equal(await statuses(), [401, 401])
  assert.is((await actor(app.url, id, last.token).get('/v1/user')).status, 200)
  const events = await admin.get('/v1/orgs/acme/audit-events?action=token.revoked')

  assert.equal(
    events.body.items.map(({ details }: { details: { by: string } }) => details.by),
    ['limit', 'limit', 'limit'],
  )
  for (const { id } of [one, other]) await admin.delete(`${path}/${id}`)
})

test('the last active provider stays while the organization requires single sign-on', async () => {
  const one = await newSamlProvider(app)
  assert.is((await admin.patch('/v1/orgs/acme', { sso: true })).status, 200)
  const { token, user } = await signInWith(app, one, { email: 'kept@example.org' })
  const pending = await admin.post(path, { label: 'Pending' })

  for (const refused of [
    await admin.delete(`${path}/${one.id}`),
    await admin.patch(`${path}/${one.id}`, { entityID: '' }),
  ]) {
    assert.is(refused.status, 409)
    assert.match(refused.body.error.message, /"sso" of the organization to false/)
  }

  assert.is((await admin.get(`${path}/${one.id}`)).body.status, 'active')
  assert.is((await actor(app.url, user.id, token).get('/v1/orgs/acme')).status, 200)
  assert.is((await admin.patch(`${path}/${one.id}`, { label: 'Renamed' })).status, 200)
  assert.is((await admin.delete(`${path}/${pending.body.id}`)).status, 204)
  const two = await newSamlProvider(app, { label: 'Second' })

  assert.is((await admin.delete(`${path}/${one.id}`)).status, 204)
  assert.is((await admin.delete(`${path}/${two.id}`)).status, 409)
  await admin.patch('/v1/orgs/acme', { sso: false })
  assert.is((await admin.delete(`${path}/${two.id}`)).status, 204)
})

test.run()
