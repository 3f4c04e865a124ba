import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createWelcomeCode } from '../../../src/actions/sso/welcome.ts'
import { putMember } from '../../../src/store/people/organizations.ts'
import { findUser, insertUser } from '../../../src/store/people/users.ts'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import { Browser } from '../../support/http/browser.ts'
import { withStoppedClock } from '../../support/http/stopped-clock.ts'
import { meanwhile } from './meanwhile.ts'

const app = await startApp({ STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '0' })
const { ctx } = app
test.after(() => app.stop())

const at = '2026-01-01T00:00:00.000Z'
let made = 0

/** Creates an admin without an address, as the first start does. */
function newAdmin(): string {
  const id = `first${made++}`
  insertUser(ctx.store, { id, display_name: 'Admin', email: null, created_at: at })
  putMember(ctx.store, 'acme', id, 'admin', at)
  return id
}

const codeFor = (userId: string, wish: { introduces?: boolean; anywhere?: boolean } = {}) =>
  ctx.store.transact(() => createWelcomeCode(ctx, { userId, introduces: true, ...wish }))

const open = (browser: Browser, code: string, headers?: Record<string, string>) =>
  browser.get(`/app/welcome?code=${code}`, headers)

const person = { displayName: 'Grace Hopper', email: 'Grace@example.org' }

test('the form of a code names the first admin, signs them in and uses the code up', async () => {
  const id = newAdmin()
  const code = codeFor(id)
  const browser = new Browser(app.url)
  for (let times = 0; times < 3; times++) {
    const { status, text, headers } = await open(browser, code)
    assert.is(status, 200)
    assert.match(text, /Welcome to Stemma/)
    assert.is(text.split(code).length, 2, 'the code stands in the form alone')
    assert.not.match(text, /<input[^>]* (?:base|code|introduces)=/)
    assert.is(headers.get('cache-control'), 'no-store')
    assert.not.ok(browser.isSignedIn)
  }

  const entered = await browser.post('/app/welcome', { code, ...person })
  assert.is(entered.status, 303)
  assert.ok(browser.isSignedIn)
  const user = findUser(ctx.store, id)
  assert.equal([user?.display_name, user?.email], ['Grace Hopper', 'Grace@example.org'])
  assert.match((await browser.get('/app/account')).text, /Grace Hopper/)

  const again = new Browser(app.url)
  for (const { status, text } of [
    await open(again, code),
    await again.post('/app/welcome', { code, ...person }),
  ]) {
    assert.is(status, 404)
    assert.match(text, /<code>stemma open<\/code>/)
  }
  assert.not.ok(again.isSignedIn)
})

test('only the digest of a code is stored, and the session has a token without a secret', async () => {
  const id = newAdmin()
  const code = codeFor(id)
  const dump = JSON.stringify(ctx.store.all(query.selectFrom('welcome_code').selectAll()))
  assert.not.ok(dump.includes(code))

  const browser = new Browser(app.url)
  await browser.post('/app/welcome', { code, ...person, email: 'digest@example.org' })
  const [session] = ctx.store.all(query.selectFrom('session').selectAll().where('user_id', '=', id))
  assert.is(session?.own_token, 1)
  await browser.post('/sso/sign-out', { csrf: await browser.csrf() })
  const [token] = ctx.store.all(query.selectFrom('token').selectAll().where('user_id', '=', id))
  assert.is.not(token?.revoked_at, null)
})

test('of 20 browsers that use one code at the same time, one gets in', async () => {
  const code = codeFor(newAdmin(), {})
  const browsers = Array.from({ length: 20 }, () => new Browser(app.url))
  const replies = await Promise.all(
    browsers.map((each, index) =>
      each.post('/app/welcome', { code, displayName: `N${index}`, email: `n${index}@example.org` }),
    ),
  )
  assert.is(replies.filter(({ status }) => status === 303).length, 1)
  assert.is(browsers.filter(({ isSignedIn }) => isSignedIn).length, 1)
  assert.is(replies.filter(({ status }) => status === 404).length, 19)
})

test('a user who is known only confirms, and their name stays', async () => {
  const user = app.user('Bo', 'read')
  for (const introduces of [true, false]) {
    const code = codeFor(user.id, { introduces })
    const browser = new Browser(app.url)
    const { text } = await open(browser, code)
    assert.match(text, /You sign in as <strong>Bo<\/strong>/)
    assert.not.match(text, /name="email"/)
    assert.is((await browser.post('/app/welcome', { code, ...person })).status, 303)
    assert.is(findUser(ctx.store, user.id)?.display_name, 'Bo')
  }
})

test('a link that does not ask for it cannot change an address', async () => {
  const id = newAdmin()
  const code = codeFor(id, { introduces: false })
  const browser = new Browser(app.url)
  await browser.post('/app/welcome', { code, displayName: 'X', email: 'x@example.org' })
  assert.ok(browser.isSignedIn)
  assert.is(findUser(ctx.store, id)?.email, null)
})

test('what cannot be saved is shown again with its problem, and the code stays valid', async () => {
  app.user('Taken', 'read')
  const id = newAdmin()
  const code = codeFor(id)
  const browser = new Browser(app.url)
  const cases: [form: Record<string, string>, problem: RegExp][] = [
    [{ displayName: '', email: 'a@example.org' }, /Your name: takes 1 to 64 characters/],
    [{ displayName: '<b>x</b>', email: 'a@example.org' }, /Your name: takes no angle brackets/],
    [{ displayName: 'Ada', email: 'nowhere' }, /E-mail address: takes an e-mail address/],
    [{ displayName: 'Ada', email: 'TAKEN@example.org' }, /E-mail address: is that of another user/],
    [{ displayName: 'A\u202eda', email: 'a@example.org' }, /invisible character/],
    [{}, /Your name: takes 1 to 64/],
  ]
  for (const [form, problem] of cases) {
    const { status, text } = await browser.post('/app/welcome', { code, ...form })
    assert.is(status, 400)
    assert.match(text, problem)
    assert.not.match(text, /<b>x<\/b>/)
    assert.match(text, /aria-invalid="true"/)
  }
  assert.not.ok(browser.isSignedIn)
  assert.is(
    (await browser.post('/app/welcome', { code, ...person, email: 'ok@example.org' })).status,
    303,
  )
})

test('an address that another user takes meanwhile is shown with its problem', async () => {
  const id = newAdmin()
  const code = codeFor(id)
  const browser = new Browser(app.url)
  meanwhile(ctx.store, () => void app.user('Quick', 'read'))
  const taken = { code, ...person, email: 'quick@example.org' }
  const { status, text } = await browser.post('/app/welcome', taken)
  assert.is(status, 400)
  assert.match(text, /E-mail address: is that of another user/)
  assert.is(findUser(ctx.store, id)?.email, null)
  const free = { code, ...person, email: 'free@example.org' }
  assert.is((await browser.post('/app/welcome', free)).status, 303)
})

test('a code that is unknown, cut or not a code is answered with what to do', async () => {
  const code = codeFor(newAdmin())
  const browser = new Browser(app.url)
  for (const wrong of [
    '',
    'x',
    code.slice(1),
    `${code}x`,
    '%00',
    '<script>',
    `${code}&code=${code}`,
  ]) {
    const { status, text } = await open(browser, wrong)
    assert.is(status, 404, wrong)
    assert.match(text, /stemma open/)
    assert.not.match(text, /<script>/)
  }
  assert.is((await browser.get('/app/welcome')).status, 404)
})

test('a code ends after an hour', async () => {
  const code = codeFor(newAdmin())
  const [row] = ctx.store.all(query.selectFrom('welcome_code').selectAll().orderBy('seq', 'desc'))
  assert.is(Date.parse(row!.expires_at) - Date.parse(row!.created_at), 3_600_000)
  ctx.store.run(
    query.updateTable('welcome_code').set({ expires_at: at }).where('hash', '=', row!.hash),
  )
  const browser = new Browser(app.url)
  assert.is((await open(browser, code)).status, 404)
  assert.is((await browser.post('/app/welcome', { code, ...person })).status, 404)
  assert.not.ok(browser.isSignedIn)
})

test('a form of another site cannot use a code up', async () => {
  const code = codeFor(newAdmin())
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: app.url, 'sec-fetch-site': 'cross-site' },
  ]) {
    const browser = new Browser(app.url)
    const { status, text } = await browser.post('/app/welcome', { code, ...person }, headers)
    assert.is(status, 403)
    assert.match(text, /<html/)
    assert.not.ok(browser.isSignedIn)
  }
  assert.is((await open(new Browser(app.url), code)).status, 200)
})

test('on another machine, a code stays valid and is not used, unless it is for any machine', async () => {
  const proxied = { 'x-forwarded-for': '192.0.2.7' }
  const code = codeFor(newAdmin())
  const browser = new Browser(app.url)
  for (const { status, text } of [
    await open(browser, code, proxied),
    await browser.post('/app/welcome', { code, ...person }, proxied),
  ]) {
    assert.is(status, 403)
    assert.match(text, /stemma open --anywhere/)
  }
  assert.is((await open(browser, code)).status, 200)

  const anywhere = codeFor(newAdmin(), { anywhere: true })
  assert.is((await open(browser, anywhere, proxied)).status, 200)
  const form = { code: anywhere, ...person, email: 'any@example.org' }
  assert.is((await browser.post('/app/welcome', form, proxied)).status, 303)
})

test('the operator can allow every machine', async () => {
  const open = await startApp({ STEMMA_WELCOME_ANYWHERE: 'true' })
  try {
    const code = open.ctx.store.transact(() =>
      createWelcomeCode(open.ctx, { userId: open.admin.id, introduces: false }),
    )
    const browser = new Browser(open.url)
    const path = `/app/welcome?code=${code}`
    assert.is((await browser.get(path, { 'x-forwarded-for': '192.0.2.7' })).status, 200)
  } finally {
    await open.stop()
  }
})

test('an address that guesses is refused, and a valid code still works', async () => {
  const strict = await startApp({ STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '5' })
  try {
    const browser = new Browser(strict.url)
    const statuses: number[] = []
    await withStoppedClock(async () => {
      for (let tries = 0; tries < 8; tries++)
        statuses.push((await browser.get(`/app/welcome?code=${tries}`)).status)
      assert.equal(statuses, [404, 404, 404, 404, 404, 429, 429, 429])
      const wrong = await browser.post('/app/welcome', { code: 'wrong' })
      assert.is(wrong.status, 429)
      assert.ok(Number(wrong.headers.get('retry-after')) > 0)
    })
    const code = strict.ctx.store.transact(() =>
      createWelcomeCode(strict.ctx, { userId: strict.admin.id, introduces: false }),
    )
    assert.is((await browser.post('/app/welcome', { code })).status, 303)
  } finally {
    await strict.stop()
  }
})

test('a user has at most 20 codes, the newest', async () => {
  const id = newAdmin()
  const codes = Array.from({ length: 25 }, () => codeFor(id))
  const browser = new Browser(app.url)
  for (const [index, code] of codes.entries())
    assert.is((await open(browser, code)).status, index < 5 ? 404 : 200)
  const rows = ctx.store.all(query.selectFrom('welcome_code').selectAll().where('user_id', '=', id))
  assert.is(rows.length, 20)
})

test.run()
