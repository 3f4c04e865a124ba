import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../src/actions/people/create-token.ts'
import { type Actor, startApp } from '../support/app.ts'
import { Browser } from '../support/http/browser.ts'
import { send } from '../support/http/send.ts'

const app = await startApp({ STEMMA_CORS_ORIGINS: 'https://friend.example' })
test.after(() => app.stop())

const own = app.ctx.publicUrl()

type Signed = { cookie: string; csrf: string }

async function signedIn({ token }: Pick<Actor, 'token'>): Promise<Signed & { browser: Browser }> {
  const browser = new Browser(app.url)
  await browser.signIn(token)
  const { status, text } = await browser.get('/docs/~session')
  assert.is(status, 200)
  const { user } = JSON.parse(text)
  return { browser, cookie: browser.cookie, csrf: user.csrf }
}

async function call(
  path: string,
  headers: Record<string, string>,
  { method = 'GET', body }: { method?: string; body?: object } = {},
) {
  const {
    status,
    text,
    headers: given,
  } = await send(app.url + path, {
    method,
    headers: {
      connection: 'close',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  })
  return { status, headers: given, body: text === '' ? undefined : JSON.parse(text) }
}

const named = ({ cookie, csrf }: Signed) => ({ cookie, 'stemma-session': csrf })

test('a page with the token of its session reads and writes as its user', async () => {
  const user = app.user('Bo', 'admin')
  const signed = await signedIn(user)
  const who = await call('/v1/user', named(signed))
  assert.equal([who.status, who.body.id], [200, user.id])

  const made = await call(
    '/v1/orgs/acme/spaces',
    { ...named(signed), origin: new URL(own).origin, 'sec-fetch-site': 'same-origin' },
    { method: 'POST', body: { title: 'From the reference' } },
  )
  assert.is(made.status, 201)
  assert.is((await user.get(`/v1/spaces/${made.body.id}`)).body.title, 'From the reference')
})

test('the cookie alone identifies nobody, and neither does the token', async () => {
  const { cookie, csrf } = await signedIn(app.user('Cy', 'read'))
  assert.is((await call('/v1/user', { cookie })).status, 401)
  assert.is((await call('/v1/user', { 'stemma-session': csrf })).status, 401)
  assert.is((await call('/v1/user', { cookie, 'stemma-session': '' })).status, 403)
  assert.is((await call('/v1/user', { cookie, 'stemma-session': `${csrf}x` })).status, 403)
  const other = await signedIn(app.user('Di', 'read'))
  assert.is((await call('/v1/user', { cookie, 'stemma-session': other.csrf })).status, 403)
})

test('a request of another origin is refused, also with the token of the session', async () => {
  const signed = await signedIn(app.user('Ed', 'admin'))
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'https://friend.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ] as Record<string, string>[])
    for (const method of ['GET', 'POST']) {
      const path = method === 'GET' ? '/v1/user' : '/v1/orgs/acme/spaces'
      const body = method === 'POST' ? { title: 'No' } : {}
      const made = await call(
        path,
        { ...named(signed), ...headers },
        {
          method,
          ...(method === 'POST' && { body }),
        },
      )
      assert.is(made.status, 403, JSON.stringify(headers))
    }
})

test('no page of another origin may send the header, or read who is signed in', async () => {
  const preflight = await call(
    '/v1/user',
    {
      origin: 'https://friend.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'stemma-session',
    },
    { method: 'OPTIONS' },
  )
  const allowed = preflight.headers.get('access-control-allow-headers') ?? ''
  assert.match(allowed, /Authorization/)
  assert.not.match(allowed, /stemma-session/i)
  assert.is(preflight.headers.get('access-control-allow-credentials'), null)

  const { browser } = await signedIn(app.user('Fy', 'read'))
  for (const site of ['cross-site', 'same-site'])
    assert.is((await browser.get('/docs/~session', { 'sec-fetch-site': site })).status, 403)
  const { headers } = await browser.get('/docs/~session', { origin: 'https://friend.example' })
  assert.is(headers.get('access-control-allow-origin'), null)
  assert.is(headers.get('cache-control'), 'no-store')
  assert.is(headers.get('cross-origin-resource-policy'), 'same-origin')
})

test('without a session, a page is told where to sign in', async () => {
  const { body } = await call('/docs/~session', {})
  assert.equal(body, { server: '/', signIn: '/sso/sign-in', user: null, links: [] })
})

test('what a session reads is kept for nobody else', async () => {
  const user = app.user('Gu', 'admin')
  const signed = await signedIn(user)
  const { body: space } = await user.post('/v1/orgs/acme/spaces', { title: 'Kept' })
  const path = `/v1/spaces/${space.id}/content/pages`
  for (let times = 0; times < 3; times++) assert.is((await call(path, named(signed))).status, 200)
  assert.is((await call(path, {})).status, 401)
  assert.is((await call(path, { cookie: signed.cookie })).status, 401)
  const other = await signedIn(app.user('Hu'))
  assert.is((await call(path, named(other))).status, 404)
})

test('a session may do what the token of its sign-in may', async () => {
  const user = app.user('Io', 'admin')
  const { secret } = createToken(
    app.ctx.store,
    { userId: user.id, name: 'reads', scopes: ['read'] },
    app.ctx.now(),
  )
  const signed = await signedIn({ token: secret })
  assert.is((await call('/v1/orgs/acme', named(signed))).status, 200)
  const made = await call('/v1/orgs/acme/spaces', named(signed), {
    method: 'POST',
    body: { title: 'No' },
  })
  assert.is(made.status, 403)
  assert.match(made.body.error.message, 'spaces:write')
})

test('after the sign-out, the calls of the page are refused', async () => {
  const signed = await signedIn(app.user('Jo', 'read'))
  const csrf = await signed.browser.csrf()
  await signed.browser.post('/sso/sign-out', { csrf })
  assert.is((await call('/v1/user', named(signed))).status, 401)
})

test('a token in the request counts, and not the session', async () => {
  const signed = await signedIn(app.user('Ki', 'read'))
  const other = app.user('Lo', 'read')
  const headers = { ...named(signed), authorization: `Bearer ${other.token}` }
  assert.is((await call('/v1/user', headers)).body.id, other.id)
})

test.run()
