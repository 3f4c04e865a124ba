import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { exchangeCode } from '../../../src/actions/sso/codes.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { listActiveProviders } from '../../../src/store/sso/providers.ts'
import { query } from '../../../src/store/store.ts'
import { actor, startApp } from '../../support/app.ts'
import { withStoppedClock } from '../../support/http/stopped-clock.ts'
import {
  answerTo,
  Browser,
  newSamlProvider,
  newVerifier,
  signInWith,
  start,
} from '../../support/sso/browser.ts'
import { meanwhile } from '../sign-in/meanwhile.ts'

const app = await startApp({
  STEMMA_PUBLIC_URL: 'https://docs.example.org',
  STEMMA_SSO_REDIRECTS: 'https://app.example.org/done',
})
const { admin, ctx } = app
test.after(() => app.stop())
const provider = await newSamlProvider(app, { defaultRole: 'edit' })
const at = '2026-01-01T00:00:00.000Z'
const acs = provider.service.acsURL

const refusals = async (): Promise<string[]> =>
  (await admin.get('/v1/orgs/acme/audit-events?action=sso.refused')).body.items.map(
    (item: { details: { reason: string } }) => item.details.reason,
  )

test('metadata names the addresses of the service, also while a provider is pending', async () => {
  const pending = await admin.post('/v1/orgs/acme/saml', { label: 'New' })
  const page = await new Browser(app).get(pending.body.service.entityID)
  assert.is(page.status, 200)
  assert.is(page.headers.get('content-type'), 'application/samlmetadata+xml; charset=utf-8')
  assert.ok(page.text.includes(`entityID="${pending.body.service.entityID}"`))
  assert.ok(page.text.includes(`Location="${pending.body.service.acsURL}"`))
  assert.is((await new Browser(app).get(pending.body.service.startURL)).status, 404)
  await admin.delete(`/v1/orgs/acme/saml/${pending.body.id}`)
})

test('a sign-in asks the provider for an e-mail address, and binds the browser', async () => {
  const browser = new Browser(app)
  const { requestId, relayState, xml } = await start(browser, provider)
  assert.match(requestId, /^_[0-9a-f]{40}$/)
  assert.is(relayState, requestId)
  assert.ok(
    xml.includes(`AssertionConsumerServiceURL="${acs}"`) &&
      xml.includes('nameid-format:emailAddress'),
  )
  assert.match(browser.cookie ?? '', /^__Host-stemma-sso=[\w-]{43}$/)
})

test('a sign-in ends with a token that reaches the organization alone', async () => {
  insertOrganization(ctx.store, { id: 'globex', title: 'Globex', created_at: at })
  const { token, user, organization, expiresAt } = await signInWith(app, provider)
  assert.equal(organization, { id: 'acme', title: 'Acme' })
  assert.ok(Date.parse(expiresAt) > Date.now() + 11 * 3_600_000)
  putMember(ctx.store, 'globex', user.id, 'admin', at)
  const zoe = actor(app.url, user.id, token)

  assert.is((await zoe.get('/v1/orgs/acme')).status, 200)
  assert.is((await zoe.get('/v1/orgs/globex')).status, 404)
  assert.equal(
    (await zoe.get('/v1/orgs')).body.items.map((item: { id: string }) => item.id),
    ['acme'],
  )
  const child = (await zoe.post('/v1/user/tokens', { name: 'Child' })).body

  assert.equal([child.organization, child.expiresAt], ['acme', expiresAt])
  const [event] = (await admin.get('/v1/orgs/acme/audit-events?action=member.signed_in')).body.items

  assert.is(event.details.provider, provider.id)
})

test('tokens of a disabled member, and of a provider that is pending or deleted, are dead', async () => {
  const other = await newSamlProvider(app, { label: 'Other' })
  const { token, user } = await signInWith(app, other, { email: 'max@example.org' })
  const max = actor(app.url, user.id, token)
  const child = actor(
    app.url,
    user.id,
    (await max.post('/v1/user/tokens', { name: 'C' })).body.token,
  )

  const statuses = async () => [
    (await max.get('/v1/user')).status,
    (await child.get('/v1/orgs/acme')).status,
  ]

  assert.equal(await statuses(), [200, 200])
  const set = (disabled: number) =>
    ctx.store.run(
      query
        .updateTable('member')
        .set({ disabled })
        .where('user_id', '=', user.id)
        .where('organization_id', '=', 'acme'),
    )

  set(1)
  assert.equal(await statuses(), [401, 401])
  set(0)
  assert.equal(await statuses(), [200, 200])
  await admin.patch(`/v1/orgs/acme/saml/${other.id}`, { entityID: '' })
  assert.equal(await statuses(), [401, 401])
  await admin.patch(`/v1/orgs/acme/saml/${other.id}`, {
    entityID: 'https://idp.example.org/metadata',
  })
  assert.equal(await statuses(), [401, 401])
  const again = await signInWith(app, other, { email: 'max@example.org' })

  assert.is(again.user.id, user.id)
  await admin.delete(`/v1/orgs/acme/saml/${other.id}`)
  assert.is((await actor(app.url, user.id, again.token).get('/v1/user')).status, 401)
})

test('without an address to return to, a page shows the code', async () => {
  const browser = new Browser(app)
  const started = await start(browser, provider)
  const page = await browser.post(acs, { SAMLResponse: answerTo(started, provider) })
  assert.is(page.status, 200)
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'sha256-/,
  )
  assert.is(page.headers.get('cache-control'), 'no-store')
  const code = /<code>([\w-]{43})<\/code>/.exec(page.text)?.[1]

  assert.is((await app.anonymous.post('/v1/sso/token', { code })).status, 201)
  assert.is((await app.anonymous.post('/v1/sso/token', { code })).status, 400)
})

test('a second use of a code ends its token', async () => {
  const browser = new Browser(app)
  const { verifier, challenge } = newVerifier()
  const started = await start(browser, provider, { code_challenge: challenge })
  const page = await browser.post(acs, { SAMLResponse: answerTo(started, provider) })
  const code = /<code>([\w-]{43})<\/code>/.exec(page.text)?.[1]
  const exchange = (code_verifier?: string) =>
    app.anonymous.post('/v1/sso/token', { code, code_verifier })

  assert.is((await exchange()).status, 400)
  assert.is((await exchange('x'.repeat(43))).status, 400)
  const { token, user } = (await exchange(verifier)).body

  assert.is((await actor(app.url, user.id, token).get('/v1/user')).status, 200)
  assert.is((await exchange(verifier)).status, 400)
  assert.is((await actor(app.url, user.id, token).get('/v1/user')).status, 401)
})

test('a use of a code at the same time as another one ends its token', async () => {
  const browser = new Browser(app)
  const { verifier, challenge } = newVerifier()
  const started = await start(browser, provider, { code_challenge: challenge })
  const page = await browser.post(acs, { SAMLResponse: answerTo(started, provider) })
  const code = /<code>([\w-]{43})<\/code>/.exec(page.text)![1]!
  const { ctx } = app
  let first: ReturnType<typeof exchangeCode> | undefined
  meanwhile(ctx.store, () => {
    const origin = { requestId: '', address: '', tokenId: null }
    first = ctx.store.transact(() => exchangeCode(ctx, { code, verifier }, origin))
  })
  const body = { code, code_verifier: verifier }
  assert.is((await app.anonymous.post('/v1/sso/token', body)).status, 400)
  assert.is((await actor(app.url, first!.user.id, first!.secret).get('/v1/user')).status, 401)
})

test('a response works once, also on two connections at once', async () => {
  const browser = new Browser(app)
  const started = await start(browser, provider)
  const form = { SAMLResponse: answerTo(started, provider) }
  const both = await Promise.all([browser.post(acs, form), browser.post(acs, form)])
  assert.equal(both.map(({ status }) => status).sort(), [200, 400])
  assert.is((await browser.post(acs, form)).status, 400)
})

test('an assertion works once, although another request is open', async () => {
  const browser = new Browser(app)
  const first = await start(browser, provider)
  const again = { assertionId: '_again' }
  assert.is(
    (await browser.post(acs, { SAMLResponse: answerTo(first, provider, again) })).status,
    200,
  )
  const second = await start(browser, provider)
  const page = await browser.post(acs, { SAMLResponse: answerTo(second, provider, again) })

  assert.is(page.status, 403)
  assert.match(page.text, /used before/)
})

test('a response must answer a sign-in of this provider and browser', async () => {
  const other = await newSamlProvider(app, { label: 'B' })
  const browser = new Browser(app)
  const started = await start(browser, provider)
  const response = answerTo(started, provider)
  const stranger = new Browser(app)

  assert.is((await stranger.post(acs, { SAMLResponse: response })).status, 400)
  await start(stranger, provider)
  assert.is((await stranger.post(acs, { SAMLResponse: response })).status, 400)
  const wrongState = { SAMLResponse: response, RelayState: '_other' }

  assert.is((await browser.post(acs, wrongState)).status, 400)
  assert.is((await browser.post(other.service.acsURL, { SAMLResponse: response })).status, 400)
  const page = await browser.post(acs, { SAMLResponse: response, RelayState: started.relayState })

  assert.is(page.status, 200)
  await admin.delete(`/v1/orgs/acme/saml/${other.id}`)
})

test('an unsolicited response starts a sign-in, and nothing in it is believed', async () => {
  const unsolicited = answerTo({ requestId: null as never }, provider)
  const page = await new Browser(app).post(acs, { SAMLResponse: unsolicited })
  assert.equal([page.status, page.headers.get('location')], [303, provider.service.startURL])
})

test('a form is refused unless it has one response of limited size', async () => {
  const browser = new Browser(app)
  const started = await start(browser, provider)
  const response = encodeURIComponent(answerTo(started, provider))
  const bomb = Buffer.from(`<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`).toString('base64')
  const refused: [form: string, status: number][] = [
    ['', 400],
    ['RelayState=x', 400],
    [`SAMLResponse=${response}&SAMLResponse=${response}`, 400],
    [`SAMLResponse=${response}&RelayState=a&RelayState=b`, 400],
    [`SAMLResponse=${response}&RelayState=${'x'.repeat(201)}`, 400],
    [`SAMLResponse=${encodeURIComponent(bomb)}`, 400],
    [`SAMLResponse=${'A'.repeat(599_000)}`, 400],
    [`SAMLResponse=${'A'.repeat(700_000)}`, 413],
  ]

  for (const [form, status] of refused)
    assert.is((await browser.post(acs, form)).status, status, form.slice(0, 60))
  const ok = await browser.post(acs, `SAMLResponse=${response}`)

  assert.is(ok.status, 200)
})

test('a refusal is a page with one sentence, and is recorded with its reason', async () => {
  const browser = new Browser(app)
  const started = await start(browser, provider)
  const page = await browser.post(acs, {
    SAMLResponse: answerTo(started, provider, { issuer: 'urn:evil' }),
  })
  assert.is(page.status, 403)
  assert.match(page.text, /another identity provider/)
  assert.match(page.text, new RegExp(`Request ${page.headers.get('x-request-id')}`))
  assert.is((await refusals())[0], 'issuer')
  const mine = await browser.post(acs, {
    SAMLResponse: answerTo(started, provider, { email: 'ada@example.org' }),
  })

  assert.is(mine.status, 403)
  assert.is((await refusals())[0], 'not-marked')
})

test('a sign-in returns to this machine or to an address of the operator', async () => {
  const { challenge } = newVerifier()
  const status = async (
    redirect_uri: string,
    more: Record<string, string> = { code_challenge: challenge },
  ) =>
    (
      await new Browser(app).get(
        `${provider.service.startURL}?${new URLSearchParams({ redirect_uri, ...more })}`,
      )
    ).status

  for (const url of ['http://127.0.0.1:8123/x', 'http://[::1]:9/', 'https://app.example.org/done'])
    assert.is(await status(url), 302, url)
  const refused = [
    'https://evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://localhost:1/',
    'http://user@127.0.0.1:1/',
    'http://127.0.0.1:1@evil.example/',
    'https://127.0.0.1/',
    'https://app.example.org/done?x',
    'https://app.example.org/done/',
    'javascript:alert(1)',
    '//127.0.0.1/',
  ]

  for (const url of refused) assert.is(await status(url), 400, url)
  assert.is(await status('http://127.0.0.1:8123/', {}), 400)
  assert.is(await status('http://127.0.0.1:8123/', { code_challenge: 'short' }), 400)
  const twice = `${provider.service.startURL}?state=a&state=b`

  assert.is((await new Browser(app).get(twice)).status, 400)
})

test('an organization that requires single sign-on accepts tokens from it, and those of admins and agents', async () => {
  const member = app.user('Mel', 'edit')
  const agent = app.user('Bot', 'edit')
  ctx.store.run(query.updateTable('user').set({ is_agent: 1 }).where('id', '=', 'bot'))
  await admin.patch('/v1/orgs/acme', { sso: true })
  const refused = await member.get('/v1/orgs/acme')

  assert.is(refused.status, 403)
  assert.ok(refused.body.error.message.includes(provider.service.startURL), refused.text)
  assert.equal((await member.get('/v1/orgs')).body.items, [])
  assert.equal(
    [(await agent.get('/v1/orgs/acme')).status, (await admin.get('/v1/orgs/acme')).status],
    [200, 200],
  )
  const { token, user } = await signInWith(app, provider)

  assert.is((await actor(app.url, user.id, token).get('/v1/orgs/acme')).status, 200)
  const plain = createToken(ctx.store, { userId: user.id, name: 'plain' }, ctx.now()).secret

  assert.is((await actor(app.url, user.id, plain).get('/v1/orgs/acme')).status, 403)
  await admin.patch('/v1/orgs/acme', { sso: false })
  assert.is((await member.get('/v1/orgs/acme')).status, 200)
  assert.ok(listActiveProviders(ctx.store, 'acme').length > 0)
})

test('the steps of sign-ins are limited by address', async () => {
  const browser = new Browser(app)
  let last = 0

  await withStoppedClock(async () => {
    for (let n = 0; n < 101 && last !== 429; n++)
      last = (await browser.get(provider.service.startURL)).status
  })
  assert.is(last, 429)
})

test.run()
