import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import {
  answerTo,
  Browser,
  newSamlProvider,
  type SamlProvider,
  start,
} from '../../support/sso/browser.ts'

const base = 'https://docs.example.org'
const app = await startApp({ STEMMA_PUBLIC_URL: base })
const { admin, ctx } = app
test.after(() => app.stop())
const provider = await newSamlProvider(app, { defaultRole: 'edit' })

/** Signs a person in from the sign-in page to the page after it. */
async function enter(by: SamlProvider, email: string, return_to = '/app/account') {
  const browser = new Browser(app)
  const started = await start(browser, by, { return_to })
  const page = await browser.post(by.service.acsURL, {
    SAMLResponse: answerTo(started, by, { email }),
  })
  return { browser, page }
}

const account = async (browser: Browser) => (await browser.get(`${base}/app/account`)).status

const tokensOf = (email: string) =>
  ctx.store.all(
    query
      .selectFrom('token')
      .innerJoin('user', 'user.id', 'token.user_id')
      .selectAll('token')
      .where('user.email', '=', email),
  )

test('a sign-in that names a path ends in a session, limited to the organization', async () => {
  const { browser, page } = await enter(provider, 'zoe@example.org', '/docs?x=1')
  assert.equal([page.status, page.headers.get('location')], [303, `${base}/docs?x=1`])
  assert.match(
    page.headers.get('set-cookie') ?? '',
    /^__Host-stemma-session=[\w-]{43}; .*SameSite=Lax; Secure/,
  )
  const { text } = await browser.get(`${base}/app/account`)

  assert.match(text, 'reaches the organization “Acme” only')
  assert.match(text, 'with single sign-on')
  const [token] = tokensOf('zoe@example.org')

  assert.equal([token?.organization_id, token?.name], ['acme', 'Browser session: Okta'])
  insertOrganization(ctx.store, {
    id: 'globex',
    title: 'Globex',
    created_at: '2026-01-01T00:00:00.000Z',
  })
  putMember(ctx.store, 'globex', token?.user_id ?? '', 'admin', '2026-01-01T00:00:00.000Z')
  const events = (await admin.get('/v1/orgs/acme/audit-events?action=session.created')).body.items

  assert.is(events[0].details.provider, provider.id)
})

test('a path of another server leads home', async () => {
  const { page } = await enter(provider, 'yan@example.org', '//evil.example')
  assert.is(page.headers.get('location'), `${base}/app`)
})

test('a sign-in replaces the session that the browser has, with the token of that session', async () => {
  const { browser: former } = await enter(provider, 'una@example.org')
  const next = new Browser(app)
  const started = await start(next, provider, { return_to: '/app/account' })
  next.cookie = `${next.cookie}; ${former.cookie}`
  const answer = answerTo(started, provider, { email: 'tom@example.org' })

  assert.is((await next.post(provider.service.acsURL, { SAMLResponse: answer })).status, 303)
  assert.equal([await account(next), await account(former)], [200, 303])
  assert.is.not(tokensOf('una@example.org')[0]?.revoked_at, null)
  const { items } = (await admin.get('/v1/orgs/acme/audit-events?action=session.revoked')).body

  assert.is(items[0].details.by, 'replaced')
})

test('signing out ends the token of the session as well', async () => {
  const { browser } = await enter(provider, 'xia@example.org')
  const { text } = await browser.get(`${base}/app/account`)
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const out = await app.anonymous.request(
    'POST',
    '/sso/sign-out',
    new URLSearchParams({ csrf }).toString(),
    {
      'content-type': 'application/x-www-form-urlencoded',
      origin: base,
      cookie: browser.cookie ?? '',
    },
  )

  assert.is(out.status, 303)
  assert.is.not(tokensOf('xia@example.org')[0]?.revoked_at, null)
  assert.is(await account(browser), 303)
})

test('a session ends with its provider, and while the member is disabled', async () => {
  const other = await newSamlProvider(app, { label: 'Other' })
  const { browser } = await enter(other, 'max@example.org')
  assert.is(await account(browser), 200)
  const userId = tokensOf('max@example.org')[0]?.user_id ?? ''
  const set = (disabled: number) =>
    ctx.store.run(query.updateTable('member').set({ disabled }).where('user_id', '=', userId))

  set(1)
  assert.is(await account(browser), 303)
  set(0)
  assert.is(await account(browser), 200)
  await admin.delete(`/v1/orgs/acme/saml/${other.id}`)
  assert.is(await account(browser), 303)
})

test('a sign-in ends either in a session or in a code', async () => {
  const both = new URLSearchParams({ return_to: '/docs', redirect_uri: 'http://127.0.0.1:1/' })
  const { status } = await new Browser(app).get(`${provider.service.startURL}?${both}`)
  assert.is(status, 400)
})

test.run()
