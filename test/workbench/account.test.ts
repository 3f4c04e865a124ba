import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken, type NewToken } from '../../src/actions/people/create-token.ts'
import { startApp } from '../support/app.ts'
import { Browser } from '../support/http/browser.ts'

const app = await startApp()
const { ctx } = app
test.after(() => app.stop())

const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'

async function signedIn(token: string, userAgent?: string): Promise<Browser> {
  const browser = new Browser(app.url, userAgent)
  assert.is((await browser.signIn(token)).status, 303)
  return browser
}

const isIn = async (browser: Browser) => (await browser.get('/app/account')).status === 200

const tokenOf = (userId: string, wish: Partial<NewToken>) =>
  createToken(ctx.store, { userId, name: 'browser', ...wish }, ctx.now()).secret

const idsOf = async (browser: Browser) =>
  [...(await browser.get('/app/account')).text.matchAll(/name="end" value="(\w{20})"/g)].map(
    found => found[1],
  )

const count = async (action: string) =>
  (await app.admin.get(`/v1/orgs/acme/audit-events?action=${action}`)).body.count

test('the account of a browser without a session is the sign-in page', async () => {
  for (const cookie of [
    '',
    'stemma-session=',
    'stemma-session=nothing',
    `stemma-session=${'x'.repeat(43)}`,
  ]) {
    const { status, headers } = await new Browser(app.url).get('/app/account', { cookie })
    assert.is(status, 303)
    assert.is(headers.get('location'), `${app.url}/sso/sign-in?return_to=%2Fapp%2Faccount`)
  }
})

test('the account lists the sessions and marks the current one', async () => {
  const user = app.user('Bo', 'read')
  await signedIn(user.token, phone)
  const browser = await signedIn(user.token)
  const { text } = await browser.get('/app/account')
  assert.match(text, /Firefox on Linux <span class="badge success">This browser<\/span>/)
  assert.match(text, /Safari on iOS/)
  assert.is((await idsOf(browser)).length, 1)
})

test('another session is ended, or all others', async () => {
  const user = app.user('Cy', 'read')
  const phones = [await signedIn(user.token, phone), await signedIn(user.token, phone)]
  const third = await signedIn(user.token, phone)
  const browser = await signedIn(user.token)
  const [latest] = await idsOf(browser)
  const ended = await browser.post('/app/account/sessions', {
    csrf: await browser.csrf(),
    end: latest as string,
  })

  assert.equal([ended.status, ended.headers.get('location')], [303, '/app/account'])
  assert.equal([await isIn(third), await isIn(phones[0] as Browser)], [false, true])
  await browser.post('/app/account/sessions', { csrf: await browser.csrf(), end: 'others' })
  for (const gone of phones) assert.not.ok(await isIn(gone))
  assert.ok(await isIn(browser))
  assert.is(await count('session.revoked'), 3)
})

test('a user cannot end a session of another one', async () => {
  const di = app.user('Di', 'read')
  const victim = await signedIn(di.token)
  const [{ id }] = (await di.get('/v1/user/sessions')).body.items
  const browser = await signedIn(app.user('Ed', 'admin').token)
  for (const end of [id, 'others'])
    assert.is(
      (await browser.post('/app/account/sessions', { csrf: await browser.csrf(), end })).status,
      303,
    )
  assert.ok(await isIn(victim))
})

test('signing out ends the session on the server', async () => {
  const browser = await signedIn(app.user('Flo', 'read').token)
  const { cookie } = browser
  const out = await browser.post('/sso/sign-out', { csrf: await browser.csrf() })
  assert.equal(
    [out.status, out.headers.get('location')],
    [303, `${app.url}/sso/sign-in?signed_out=1`],
  )
  assert.is(browser.isSignedIn, false)
  assert.is((await new Browser(app.url).get('/app/account', { cookie })).status, 303)
  assert.is(await count('session.signed_out'), 1)
  assert.match((await browser.get('/sso/sign-in?signed_out=1')).text, 'You are signed out.')
  assert.is((await browser.post('/sso/sign-out', {})).status, 303)
})

test('a write is refused without the token of the session, or from another origin', async () => {
  const user = app.user('Gus', 'read')
  const other = await signedIn(user.token, phone)
  const browser = await signedIn(user.token)
  const csrf = await browser.csrf()
  const attempts: [Record<string, string>, Record<string, string>][] = [
    [{}, {}],
    [{ csrf: '' }, {}],
    [{ csrf: await other.csrf() }, {}],
    [{ csrf: `${csrf}x` }, {}],
    [{ csrf }, { origin: 'https://evil.example' }],
    [{ csrf }, { origin: '' }],
    [{ csrf }, { origin: 'null' }],
    [{ csrf }, { 'sec-fetch-site': 'cross-site' }],
  ]

  for (const [form, headers] of attempts)
    for (const path of ['/app/account/sessions', '/sso/sign-out'])
      assert.is((await browser.post(path, { ...form, end: 'others' }, headers)).status, 403, path)
  assert.equal([await isIn(browser), await isIn(other)], [true, true])

  for (const path of ['/app/account/sessions', '/sso/sign-out'])
    assert.is((await browser.get(`${path}?csrf=${csrf}&end=others`)).status, 404)

  assert.ok(await isIn(other))
})

test('a session does no more than the scopes of its token', async () => {
  const user = app.user('Hal', 'read')
  const other = await signedIn(user.token, phone)
  const narrow = await signedIn(tokenOf('hal', { scopes: ['content:read'] }))
  assert.not.match((await narrow.get('/app/account')).text, 'Safari on iOS')
  const refused = await narrow.post('/app/account/sessions', {
    csrf: await narrow.csrf(),
    end: 'others',
  })

  assert.is(refused.status, 403)
  assert.match(refused.text, 'tokens:admin')
  const reading = await signedIn(tokenOf('hal', { scopes: ['read'] }))

  assert.match((await reading.get('/app/account')).text, 'Safari on iOS')
  assert.equal(await idsOf(reading), [])
  assert.ok(await isIn(other))
  assert.is((await reading.post('/sso/sign-out', { csrf: await reading.csrf() })).status, 303)
})

test('a session of a limited token sees only sessions with the same limit', async () => {
  const user = app.user('Ira', 'read')
  await signedIn(user.token, phone)
  const limited = await signedIn(tokenOf('ira', { organizationId: 'acme' }))
  const { text } = await limited.get('/app/account')
  assert.match(text, 'reaches the organization “Acme” only')
  assert.not.match(text, 'Safari on iOS')
  await signedIn(tokenOf('ira', { organizationId: 'acme' }), phone)
  assert.is((await idsOf(limited)).length, 1)
})

test.run()
