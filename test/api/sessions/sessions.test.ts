import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken, type NewToken } from '../../../src/actions/people/create-token.ts'
import { deleteExpired } from '../../../src/store/sso/expired.ts'
import { actor, startApp } from '../../support/app.ts'
import { Browser } from '../../support/http/browser.ts'

const app = await startApp()
const { ctx } = app
test.after(() => app.stop())

async function signedIn(token: string): Promise<Browser> {
  const browser = new Browser(app.url)
  assert.is((await browser.signIn(token)).status, 303)
  return browser
}

const inHours = (hours: number) => new Date(ctx.now().getTime() + hours * 3_600_000).toISOString()

const isIn = async (browser: Browser) => (await browser.get('/app/account')).status === 200

const made = (userId: string, wish: Partial<NewToken>) => {
  const { row, secret } = createToken(ctx.store, { userId, name: 'made', ...wish }, ctx.now())
  return { id: row.id, as: actor(app.url, userId, secret) }
}

test('a user lists the sessions, without their secrets', async () => {
  const user = app.user('Bo', 'read')
  assert.equal((await user.get('/v1/user/sessions')).body.items, [])
  const browser = await signedIn(user.token)
  const { body, text } = await user.get('/v1/user/sessions')
  const [session] = body.items

  assert.is(session.object, 'session')
  assert.match(session.userAgent, /Firefox/)
  assert.is(session.address, '127.0.0.1')
  assert.is(session.urls.location, `${app.url}/v1/user/sessions/${session.id}`)
  assert.not.match(text, browser.cookie.split('=')[1] as string)
  assert.not.match(text, /hash/)
  assert.is((await app.admin.get('/v1/user/sessions')).body.count, 0)
})

test('a user ends a session, and no other user can', async () => {
  const user = app.user('Cy', 'read')
  const browser = await signedIn(user.token)
  const [{ id }] = (await user.get('/v1/user/sessions')).body.items
  assert.is((await app.admin.delete(`/v1/user/sessions/${id}`)).status, 204)
  assert.ok(await isIn(browser))
  assert.is((await user.delete(`/v1/user/sessions/${id}`)).status, 204)
  assert.not.ok(await isIn(browser))
  assert.is((await user.get('/v1/user')).status, 200)
  assert.equal((await user.get('/v1/user/sessions')).body.items, [])
  assert.is((await user.delete(`/v1/user/sessions/${id}`)).status, 204)
  const events = (await app.admin.get('/v1/orgs/acme/audit-events?action=session.revoked')).body
    .items

  assert.equal([events.length, events[0].target.id], [1, id])
})

test('the list continues page by page', async () => {
  const user = app.user('Di', 'read')
  for (let opened = 0; opened < 3; opened++) await signedIn(user.token)
  const first = (await user.get('/v1/user/sessions?limit=2')).body
  const rest = (await user.get(`/v1/user/sessions?limit=2&page=${first.next.page}`)).body
  assert.is(new Set([...first.items, ...rest.items].map(({ id }: { id: string }) => id)).size, 3)
  assert.not.ok(rest.next)
})

test('a limited token reaches only sessions with its limit', async () => {
  const user = app.user('Ed', 'read')
  const whole = await signedIn(user.token)
  const limited = made('ed', { organizationId: 'acme' })
  const within = await signedIn(limited.as.token)
  const ids = async (by: typeof user) =>
    (await by.get('/v1/user/sessions')).body.items.map(({ id }: { id: string }) => id)
  const [inside, outside] = await ids(user)

  assert.equal(await ids(limited.as), [inside])
  await limited.as.delete(`/v1/user/sessions/${outside}`)
  assert.ok(await isIn(whole))
  await limited.as.delete(`/v1/user/sessions/${inside}`)
  assert.not.ok(await isIn(within))
})

test('ending a session needs a token that may revoke tokens', async () => {
  const user = app.user('Flo', 'read')
  await signedIn(user.token)
  const [{ id }] = (await user.get('/v1/user/sessions')).body.items
  assert.is(
    (await made('flo', { scopes: ['read'] }).as.delete(`/v1/user/sessions/${id}`)).status,
    403,
  )

  assert.is(
    (await made('flo', { scopes: ['content:read'] }).as.get('/v1/user/sessions')).status,
    403,
  )
})

test('expired sessions are deleted, valid ones are not', async () => {
  const user = app.user('Gus', 'read')
  const expired = await signedIn(made('gus', { expiresAt: inHours(1) }).as.token)
  const valid = await signedIn(user.token)
  deleteExpired(ctx.store, 'session', inHours(2), 100)
  assert.equal([await isIn(expired), await isIn(valid)], [false, true])
})

test.run()
