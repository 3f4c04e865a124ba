import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findAnswer } from '../../../src/store/events/idempotency.ts'
import { actor, startApp } from '../../support/app.ts'

const app = await startApp()
const bob = app.user('Bob')

test.after(() => app.stop())

test('a token is created, used, listed and revoked; its secret is shown once', async () => {
  const made = await bob.post('/v1/user/tokens', { name: ' CI ' })
  assert.is(made.status, 201)
  assert.match(made.body.token, /^stm_[0-9A-Za-z]{43}$/)
  assert.equal([made.body.object, made.body.name], ['token', 'CI'])
  assert.is(made.headers.get('location'), made.body.urls.location)

  const ci = actor(app.url, 'bob', made.body.token)

  assert.is((await ci.get('/v1/user')).body.id, 'bob')
  const list = await bob.get('/v1/user/tokens')

  assert.equal(
    list.body.items.map((token: { name: string }) => token.name),
    ['CI', 'test'],
  )
  assert.not(list.text.includes(made.body.token))
  assert.ok(list.body.items[0].lastUsedAt)

  assert.is((await bob.delete(`/v1/user/tokens/${made.body.id}`)).status, 204)
  assert.is((await ci.get('/v1/user')).status, 401)
  assert.is((await bob.get('/v1/user/tokens')).body.count, 1)
  assert.is((await bob.delete(`/v1/user/tokens/${made.body.id}`)).status, 204)
})

test('a token expires when requested', async () => {
  const soon = new Date(Date.now() + 60_000)
  const made = await bob.post('/v1/user/tokens', {
    name: 'short',
    expiresAt: soon.toISOString().replace('Z', '+00:00'),
  })

  assert.is(made.body.expiresAt, soon.toISOString())
  const late = await bob.post('/v1/user/tokens', {
    name: 'late',
    expiresAt: '2020-01-01T00:00:00Z',
  })

  assert.is(late.status, 400)
  assert.match(late.body.error.message, /takes a time in the future/)
})

test('a token expires at the exact millisecond', async () => {
  const expiresAt = new Date(Date.now() + 60_000)
  const { body } = await bob.post('/v1/user/tokens', {
    name: 'exact',
    expiresAt: expiresAt.toISOString(),
  })
  const exact = actor(app.url, 'bob', body.token)
  const { now } = Date

  try {
    Date.now = () => expiresAt.getTime() - 1
    assert.is((await exact.get('/v1/user')).status, 200)
    Date.now = () => expiresAt.getTime()
    assert.is((await exact.get('/v1/user')).status, 401)
  } finally {
    Date.now = now
  }

  await bob.delete(`/v1/user/tokens/${body.id}`)
})

test('answers that depend on rows must not be cached', async () => {
  const made = await bob.post('/v1/user/tokens', { name: 'stored' })
  assert.is(made.headers.get('cache-control'), 'no-store')
  const invite = await app.admin.post('/v1/orgs/acme/link-invites', { role: 'read' })
  assert.is(invite.status, 201)
  assert.is(invite.headers.get('cache-control'), 'no-store')
  const list = await app.admin.get('/v1/orgs/acme/link-invites')
  assert.is(list.headers.get('cache-control'), 'no-store')
  await bob.delete(`/v1/user/tokens/${made.body.id}`)
})

test('users cannot list or revoke tokens of others', async () => {
  const made = await bob.post('/v1/user/tokens', { name: 'mine' })
  assert.is((await app.admin.delete(`/v1/user/tokens/${made.body.id}`)).status, 204)
  assert.is((await actor(app.url, 'bob', made.body.token).get('/v1/user')).status, 200)
  assert.is((await app.admin.get('/v1/user/tokens')).body.count, 1)

  for (const [method, path] of [
    ['GET', ''],
    ['POST', ''],
    ['DELETE', '/x'],
  ]) {
    assert.is((await app.anonymous.request(method as string, `/v1/user/tokens${path}`)).status, 401)
  }
})

test('invalid bodies are refused, and a secret is never stored', async () => {
  for (const body of [
    {},
    { name: '' },
    { name: 'x', scope: 'all' },
    { name: 'x', expiresAt: 'tomorrow' },
  ]) {
    assert.is((await bob.post('/v1/user/tokens', body)).status, 400, JSON.stringify(body))
  }

  const keyed = await bob.post('/v1/user/tokens', { name: 'x' }, { 'idempotency-key': 'k1' })
  assert.is(keyed.status, 400)
  assert.match(keyed.body.error.message, /Leave out the header "Idempotency-Key"/)
  assert.is(findAnswer(app.ctx.store, { userId: 'bob', key: 'k1' }, new Date()), undefined)
})

test('the list is paged, newest first', async () => {
  const names: string[] = []
  for (let page = ''; ; ) {
    const { body } = await bob.get(`/v1/user/tokens?limit=2${page}`)
    names.push(...body.items.map((token: { name: string }) => token.name))
    if (!body.next) break
    page = `&page=${body.next.page}`
  }

  assert.equal(names, ['mine', 'short', 'test'])
  const other = (await bob.get('/v1/user/tokens?limit=1')).body.next.page

  assert.is((await app.admin.get(`/v1/user/tokens?page=${other}`)).status, 400)
})

test.run()
