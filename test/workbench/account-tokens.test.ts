import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken, type NewToken } from '../../src/actions/people/create-token.ts'
import { createWelcomeCode } from '../../src/actions/sso/welcome.ts'
import { findUser } from '../../src/store/people/users.ts'
import { query } from '../../src/store/store.ts'
import { startApp } from '../support/app.ts'
import { Browser } from '../support/http/browser.ts'
import { formIn } from './forms.ts'

const app = await startApp()
const { ctx } = app
test.after(() => app.stop())

const pageOf = async (browser: Browser) => (await browser.get('/app/account')).text

async function signedIn(token: string): Promise<Browser> {
  const browser = new Browser(app.url)
  assert.is((await browser.signIn(token)).status, 303)
  return browser
}

/** Signs a user in with a link, so that the session has a token of its own. */
async function withLink(userId: string): Promise<Browser> {
  const code = ctx.store.transact(() => createWelcomeCode(ctx, { userId, introduces: false }))
  const browser = new Browser(app.url)
  assert.is((await browser.post('/app/welcome', { code })).status, 303)
  return browser
}

const limited = (userId: string, wish: Partial<NewToken>) =>
  createToken(ctx.store, { userId, name: 'limited', ...wish }, ctx.now()).secret

const fields: Record<string, string> = { name: 'laptop', level: 'write', days: '30' }

/** Makes a token with the form; returns its secret. */
async function make(browser: Browser, wish: Record<string, string> = {}): Promise<string> {
  const form = formIn(await pageOf(browser), '/app/account/tokens')
  const made = await browser.post('/app/account/tokens', { ...form, ...fields, ...wish })
  assert.equal([made.status, made.headers.get('location')], [303, '/app/account'])
  const cookies = made.headers.getSetCookie().join()
  const { text, headers } = await browser.get('/app/account')
  const [secret = ''] = /stm_\w{43}/.exec(text) ?? []
  assert.ok(secret, text)
  assert.not.match(cookies, secret)
  assert.match(headers.get('cache-control') ?? '', 'no-store')
  assert.not.match(await pageOf(browser), secret)
  return secret
}

const tokensOf = (userId: string) =>
  ctx.store.all(query.selectFrom('token').selectAll().where('user_id', '=', userId).orderBy('seq'))

test('a token is made with a level and an end, and its secret is shown once', async () => {
  const user = app.user('Bo', 'edit')
  const browser = await withLink(user.id)
  const secret = await make(browser)
  const me = await app.anonymous.get('/v1/user', { authorization: `Bearer ${secret}` })
  assert.is(me.body.id, user.id)
  const made = tokensOf(user.id).at(-1)!
  assert.equal([made.name, made.scopes, made.parent_id], ['laptop', ['write'], null])
  const days = (Date.parse(made.expires_at!) - Date.parse(made.created_at)) / 86_400_000
  assert.is(Math.round(days), 30)

  await make(browser, {
    name: 'ci',
    level: 'read',
    'on-content': 'on',
    'on-comments': 'on',
    days: '',
  })
  const second = tokensOf(user.id).at(-1)!
  assert.equal([second.scopes, second.expires_at], [['content:read', 'comments:read'], null])
})

test('a secret is not shown to another session of the user', async () => {
  const user = app.user('Cy', 'read')
  const [one, two] = [await withLink(user.id), await withLink(user.id)]
  const form = formIn(await pageOf(one), '/app/account/tokens')
  await one.post('/app/account/tokens', { ...form, ...fields })
  assert.not.match(await pageOf(two), /stm_\w{43}/)
  assert.match(await pageOf(one), /stm_\w{43}/)
})

test('a token of a session that a link opened outlives the session', async () => {
  const user = app.user('Di', 'read')
  const browser = await withLink(user.id)
  const secret = await make(browser)
  await browser.post('/sso/sign-out', { csrf: await browser.csrf() })
  const status = async () =>
    (await app.anonymous.get('/v1/user', { authorization: `Bearer ${secret}` })).status
  assert.is(await status(), 200)
  const again = await signedIn(secret)
  assert.match(await pageOf(again), 'Di')
})

test('a token of a session with a token has at most its rights, and ends with it', async () => {
  const user = app.user('Ed', 'read')
  const expiresAt = new Date(ctx.now().getTime() + 86_400_000).toISOString()
  const browser = await signedIn(
    limited(user.id, { scopes: ['read', 'tokens:admin'], expiresAt, name: 'parent' }),
  )
  assert.match(await pageOf(browser), /ends with the token “parent”/)
  const form = formIn(await pageOf(browser), '/app/account/tokens')
  for (const [wish, said] of [
    [{ level: 'write', days: '' }, /does not have the scope/],
    [{ level: 'read', days: '30' }, /expires at/],
    [{ level: 'read', days: '' }, undefined],
  ] as const) {
    const { status, text } = await browser.post('/app/account/tokens', {
      ...form,
      ...fields,
      ...wish,
    })
    assert.is(status < 400, said === undefined)
    if (said) assert.match(text, said)
  }
  const made = tokensOf(user.id).at(-1)!
  assert.is(made.expires_at, expiresAt)
  assert.is.not(made.parent_id, null)
})

test('a token is deleted at once; one of another user is not', async () => {
  const user = app.user('Flo', 'read')
  const browser = await withLink(user.id)
  const secret = await make(browser)
  const { id } = tokensOf(user.id).at(-1)!
  const [mine] = tokensOf(app.admin.id)
  const csrf = await browser.csrf()
  for (const each of [mine!.id, 'none'])
    assert.is((await browser.post(`/app/account/tokens/${each}/delete`, { csrf })).status, 303)
  assert.is((await app.admin.get('/v1/user')).status, 200)

  const form = formIn(await pageOf(browser), `/app/account/tokens/${id}/delete`)
  assert.is((await browser.post(`/app/account/tokens/${id}/delete`, form)).status, 303)
  const authorization = `Bearer ${secret}`
  assert.is((await app.anonymous.get('/v1/user', { authorization })).status, 401)
  assert.not.match(await pageOf(browser), id)
})

test('the name is changed, with the rules of the API', async () => {
  const user = app.user('Gus', 'read')
  const browser = await withLink(user.id)
  const form = formIn(await pageOf(browser), '/app/account/name')
  assert.is(form.displayName, 'Gus')
  for (const displayName of ['', '<b>x</b>', 'x'.repeat(65), 'A\u202eda']) {
    const { status, text } = await browser.post('/app/account/name', { ...form, displayName })
    assert.is(status, 400)
    assert.match(text, /aria-invalid/)
    assert.not.match(text, /<b>x/)
  }
  const done = await browser.post('/app/account/name', { ...form, displayName: 'Gustav & Söhne' })
  assert.is(done.status, 303)
  assert.is(findUser(ctx.store, user.id)?.display_name, 'Gustav & Söhne')
  assert.match(await pageOf(browser), 'Gustav &amp; Söhne')
})

test('a session does no more than its token may', async () => {
  const user = app.user('Hal', 'read')
  const browser = await signedIn(limited(user.id, { scopes: ['read'] }))
  const text = await pageOf(browser)
  assert.not.match(text, 'action="/app/account/tokens"')
  assert.not.match(text, 'action="/app/account/name"')
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const [own] = tokensOf(user.id)
  for (const [path, form] of [
    ['/app/account/name', { displayName: 'X' }],
    ['/app/account/tokens', fields],
    [`/app/account/tokens/${own!.id}/delete`, {}],
    ['/app/account/sessions', { end: 'others' }],
  ] as const)
    assert.is((await browser.post(path, { csrf, ...form })).status, 403, path)

  const inside = await signedIn(limited(user.id, { organizationId: 'acme' }))
  const sent = { csrf: await inside.csrf(), displayName: 'X' }
  assert.is((await inside.post('/app/account/name', sent)).status, 403)
  assert.is(findUser(ctx.store, user.id)?.display_name, 'Hal')
})

test('forged forms do nothing', async () => {
  const user = app.user('Ira', 'read')
  const browser = await withLink(user.id)
  const csrf = await browser.csrf()
  const before = tokensOf(user.id).length
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: '' }])
    assert.is((await browser.post('/app/account/tokens', { csrf, ...fields }, headers)).status, 403)
  assert.is((await browser.post('/app/account/tokens', { csrf: 'x', ...fields })).status, 403)
  assert.is(tokensOf(user.id).length, before)
})

test('the former address leads to the page', async () => {
  const { status, headers } = await new Browser(app.url).get('/sso/account')
  assert.equal([status, headers.get('location')], [303, `${app.url}/app/account`])
})

test.run()
