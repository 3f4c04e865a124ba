import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken, type NewToken } from '../../../src/actions/people/create-token.ts'
import { findToken, revokeToken } from '../../../src/store/people/tokens.ts'
import { insertProvider } from '../../../src/store/sso/providers.ts'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import { Browser } from '../../support/http/browser.ts'
import { withStoppedClock } from '../../support/http/stopped-clock.ts'

const app = await startApp({ STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '0' })
const { ctx } = app
test.after(() => app.stop())

const at = '2026-01-01T00:00:00.000Z'
insertProvider(ctx.store, {
  id: 'okta',
  organization_id: 'acme',
  kind: 'saml',
  label: 'Okta & Co',
  active: 1,
  created_at: at,
  updated_at: at,
})

const inHours = (hours: number) => new Date(ctx.now().getTime() + hours * 3_600_000).toISOString()

const tokenOf = (userId: string, wish: Partial<NewToken> = {}) =>
  createToken(ctx.store, { userId, name: 'browser', ...wish }, ctx.now())

async function signedIn(token = app.admin.token): Promise<Browser> {
  const browser = new Browser(app.url)
  const { status, text } = await browser.signIn(token)
  assert.is(status, 303, text)
  return browser
}

const isIn = async (browser: Browser) => (await browser.get('/app/account')).status === 200

const sessionsOf = (userId: string) =>
  ctx.store.all(
    query.selectFrom('session').selectAll().where('user_id', '=', userId).orderBy('seq'),
  )

const eventsOf = async (action: string) =>
  (await app.admin.get(`/v1/orgs/acme/audit-events?action=${action}`)).body.items

test('the sign-in page lists the providers of an organization', async () => {
  const browser = new Browser(app.url)
  const { status, text, headers } = await browser.get(
    '/sso/sign-in?organization=acme&return_to=%2Fdocs',
  )
  assert.is(status, 200)
  assert.match(text, `${app.url}/sso/saml/okta?return_to=%2Fdocs`)
  assert.match(text, 'Continue with Okta &amp; Co')
  assert.match(text, '<input type="hidden" name="return_to" value="/docs"/>')
  assert.is(headers.get('cache-control'), 'no-store')
  assert.is(browser.isSignedIn, false)
})

test('without a provider on the server, the page asks for a token first', async () => {
  const browser = new Browser(app.url)
  const setActive = (active: 0 | 1) =>
    ctx.store.run(query.updateTable('sso_provider').set({ active }).where('id', '=', 'okta'))
  assert.match((await browser.get('/sso/sign-in')).text, 'Single sign-on')
  setActive(0)
  const { text } = await browser.get('/sso/sign-in')

  assert.not.match(text, 'Single sign-on')
  assert.match(text, 'Sign in with a token')

  // An address that names an organization is answered.
  assert.match(
    (await browser.get('/sso/sign-in?organization=acme')).text,
    'There is no identity provider',
  )
  setActive(1)
})

test('an unknown organization looks like one without providers, and names are escaped', async () => {
  const { text } = await new Browser(app.url).get('/sso/sign-in?organization=%3Cscript%3E')
  assert.match(text, 'There is no identity provider for “&lt;script>”')
  assert.not.match(text, '<script>')
})

test('every page allows its own style and nothing else', async () => {
  const browser = await signedIn()
  for (const path of ['/sso/sign-in', '/app/welcome']) {
    const { headers, text } = await browser.get(path)
    const policy = headers.get('content-security-policy') ?? ''
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? ''
    const digest = createHash('sha256').update(style).digest('base64')

    assert.match(
      policy,
      `default-src 'none'; style-src 'sha256-${digest}'; form-action 'self'; frame-ancestors 'none'`,
    )
    assert.is(headers.get('referrer-policy'), 'same-origin')
    assert.is(headers.get('x-content-type-options'), 'nosniff')
    assert.not.match(text, /<script|style="|onclick|https?:\/\/(?!127)/)
  }
})

test('a token opens a session, and the browser is sent on', async () => {
  const browser = new Browser(app.url)
  const { status, headers } = await browser.signIn(` ${app.admin.token}\n`, {
    return_to: '/docs?x=1',
  })
  assert.equal([status, headers.get('location')], [303, `${app.url}/docs?x=1`])
  assert.match(
    headers.get('set-cookie') ?? '',
    /^stemma-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const account = await browser.get('/app/account')

  assert.match(account.text, '<strong>Ada</strong>')
  assert.match(account.text, 'Firefox on Linux')
  const [event] = await eventsOf('session.created')

  assert.is(event.actor.user.id, 'ada')
})

test('over https the cookie is secure and belongs to this host alone', async () => {
  const secure = await startApp({ STEMMA_PUBLIC_URL: 'https://docs.example.org' })
  const browser = new Browser(secure.url)
  const origin = { origin: 'https://docs.example.org' }
  const { headers } = await browser.post('/sso/sign-in', { token: secure.admin.token }, origin)

  assert.match(
    headers.get('set-cookie') ?? '',
    /^__Host-stemma-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  assert.is(headers.get('location'), 'https://docs.example.org/app')
  const host = 'docs.example.org'
  assert.is((await browser.get('/app/account', { host })).status, 200)
  await secure.stop()
})

test('a wrong token shows the page again, without the token', async () => {
  const browser = new Browser(app.url)
  for (const token of ['', 'stm_nothing', 'two words', 'x'.repeat(600), 'a.b.c']) {
    const { status, text } = await browser.signIn(token, { return_to: '/docs' })
    assert.is(status, 401)
    assert.match(text, /role="alert">This token cannot be used/)
    assert.match(text, 'value="/docs"')
    if (token !== '') assert.not.match(text, token)
  }

  assert.is(browser.isSignedIn, false)
})

test('every sign-in has a new secret and ends the session before it', async () => {
  const browser = await signedIn()
  const first = browser.cookie
  await browser.signIn(app.admin.token)
  assert.is.not(browser.cookie, first)
  assert.is((await new Browser(app.url).get('/app/account', { cookie: first })).status, 303)
  const planted = `stemma-session=${'A'.repeat(43)}`
  const victim = new Browser(app.url)
  const { headers } = await victim.post(
    '/sso/sign-in',
    { token: app.admin.token },
    { cookie: planted },
  )

  assert.not.match(headers.get('set-cookie') ?? '', 'A'.repeat(43))
})

test('the row of a session has only a digest of its secret', async () => {
  const browser = await signedIn()
  const secret = browser.cookie.split('=')[1] as string
  assert.not.match(JSON.stringify(sessionsOf('ada')), secret)
  assert.is(sessionsOf('ada').at(-1)?.hash, createHash('sha256').update(secret).digest('hex'))
})

test('a session ends with its token', async () => {
  const one = tokenOf('ada')
  const browser = await signedIn(one.secret)
  assert.ok(await isIn(browser))
  revokeToken(ctx.store, one.row.id, ctx.now().toISOString())
  assert.not.ok(await isIn(browser))
})

test('a session expires with its token, at the latest after the hours of the operator', async () => {
  const soon = inHours(1)
  await signedIn(tokenOf('ada', { expiresAt: soon }).secret)
  assert.is(sessionsOf('ada').at(-1)?.expires_at, soon)
  await signedIn(tokenOf('ada').secret)
  const end = Date.parse(sessionsOf('ada').at(-1)?.expires_at ?? '')

  assert.ok(end <= Date.parse(inHours(12)) && end > Date.parse(inHours(11.9)))
  const browser = await signedIn()
  const { id } = sessionsOf('ada').at(-1) as { id: string }

  ctx.store.run(
    query
      .updateTable('session')
      .set({ expires_at: inHours(-1) })
      .where('id', '=', id),
  )
  assert.not.ok(await isIn(browser))
})

test('a session ends that is not used for long, and a use prolongs it', async () => {
  const browser = await signedIn()
  const { id } = sessionsOf('ada').at(-1) as { id: string }
  const set = (used: number) =>
    ctx.store.run(
      query
        .updateTable('session')
        .set({ last_used_at: inHours(used) })
        .where('id', '=', id),
    )

  set(-1.9)
  assert.ok(await isIn(browser))
  assert.ok((sessionsOf('ada').at(-1)?.last_used_at ?? '') > inHours(-0.1))
  set(-2.1)
  assert.not.ok(await isIn(browser))
})

test('a session of a disabled provider ends', async () => {
  app.user('Pia', 'read')
  const { secret } = tokenOf('pia', {
    organizationId: 'acme',
    providerId: 'okta',
    expiresAt: inHours(1),
  })
  const browser = await signedIn(secret)
  assert.ok(await isIn(browser))
  ctx.store.run(query.updateTable('sso_provider').set({ active: 0 }).where('id', '=', 'okta'))
  assert.not.ok(await isIn(browser))
  ctx.store.run(query.updateTable('sso_provider').set({ active: 1 }).where('id', '=', 'okta'))
})

test('the cookie of a session authorizes nothing below /v1', async () => {
  const { cookie } = await signedIn()
  for (const path of ['/v1/user', '/v1/user/sessions', '/v1/orgs', '/v1/orgs/acme'])
    assert.is((await app.anonymous.get(path, { cookie })).status, 401)
  const secret = cookie.split('=')[1]
  assert.is(
    (await app.anonymous.get('/v1/user', { authorization: `Bearer ${secret}` })).status,
    401,
  )
  const before = (await app.admin.get('/v1/orgs/acme/spaces')).body.count

  assert.is(
    (await app.anonymous.post('/v1/orgs/acme/spaces', { title: 'Forged' }, { cookie })).status,
    401,
  )
  assert.is((await app.admin.get('/v1/orgs/acme/spaces')).body.count, before)
})

test('a sign-in is refused unless a page of this server sent it', async () => {
  const wrong: Record<string, string>[] = [
    { origin: '' },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: `${app.url}.evil.example` },
    { origin: '', 'sec-fetch-site': 'cross-site' },
    { origin: '', 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-site' },
  ]

  for (const headers of wrong) {
    const browser = new Browser(app.url)
    const { status, text } = await browser.post('/sso/sign-in', { token: app.admin.token }, headers)
    assert.is(status, 403, JSON.stringify(headers))
    assert.match(text, /not sent from a page of this server/)
    assert.is(browser.isSignedIn, false)
  }

  const strict = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  assert.is(
    (await new Browser(app.url).post('/sso/sign-in', { token: app.admin.token }, strict)).status,
    303,
  )
})

test('a form that is no form is refused', async () => {
  const browser = new Browser(app.url)
  const json = { 'content-type': 'application/json' }
  assert.is((await browser.post('/sso/sign-in', { token: 'x' }, json)).status, 415)
  assert.is((await browser.post('/sso/sign-in', { token: 'x'.repeat(20_000) })).status, 413)
  assert.is(
    (await browser.post('/sso/sign-in', { token: 'x' }, { 'content-encoding': 'br' })).status,
    415,
  )
})

test('at most 50 sessions of a user stay: a new one ends the oldest', async () => {
  const user = app.user('Max', 'read')
  const oldest = await signedIn(user.token)
  for (let made = 1; made <= 50; made++) await signedIn(user.token)
  assert.is((await user.get('/v1/user/sessions')).body.count, 50)
  assert.not.ok(await isIn(oldest))
})

test('failed sign-ins count against the address, as wrong Bearer tokens do', async () => {
  const strict = await startApp({ STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '3' })
  const browser = new Browser(strict.url)
  const refused = await withStoppedClock(async () => {
    for (let tries = 0; tries < 2; tries++)
      assert.is((await browser.signIn('stm_wrong')).status, 401)
    assert.is(
      (await strict.anonymous.get('/v1/user', { authorization: 'Bearer stm_wrong' })).status,
      401,
    )

    return await browser.signIn('stm_wrong')
  })

  assert.is(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.match(refused.headers.get('content-type') ?? '', /^text\/html/)
  assert.is((await browser.signIn(strict.admin.token)).status, 303)
  await strict.stop()
})

test('a session uses the token, and its last use is noted', async () => {
  const one = tokenOf('ada')
  await signedIn(one.secret)
  assert.is(findToken(ctx.store, one.row.id)?.revoked_at, null)
  assert.ok(ctx.tokenUses.latest(one.row).last_used_at)
})

test.run()
