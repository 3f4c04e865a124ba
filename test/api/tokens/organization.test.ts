import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken, type NewToken } from '../../../src/actions/people/create-token.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { actor, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'

const app = await startApp()
const { space } = await makeSpace(app, { 'README.md': '# One\n' })
const bob = app.user('Bob', 'read')
const at = app.ctx.now().toISOString()
insertOrganization(app.ctx.store, { id: 'other', title: 'Other', created_at: at })
putMember(app.ctx.store, 'other', 'bob', 'read', at)
const later = (days: number) => new Date(app.ctx.now().getTime() + days * 86_400_000).toISOString()

test.after(() => app.stop())

/** Creates a token for a user as the operator does. */
function tokenOf(userId: string, wish: Partial<NewToken> = {}) {
  const { row, secret } = createToken(
    app.ctx.store,
    { userId, name: 'made', ...wish },
    app.ctx.now(),
  )
  return { id: row.id, as: actor(app.url, userId, secret) }
}

type Listed = { id: string; accepted: boolean; user: { id: string }; organization?: string }
const listed = async (): Promise<Map<string, Listed>> =>
  new Map(
    (await app.admin.get('/v1/orgs/acme/tokens')).body.items.map((each: Listed) => [each.id, each]),
  )

test('admins list the tokens that reach the organization, without secrets', async () => {
  const whole = tokenOf('bob')
  const inside = tokenOf('bob', { spaceId: space.id, scopes: ['content:read'] })
  const outside = tokenOf('bob', { organizationId: 'other' })
  const expired = tokenOf('bob', { expiresAt: later(-1) })

  app.user('Sid')
  const stranger = tokenOf('sid')
  const found = await listed()

  for (const { id } of [whole, inside]) assert.is(found.get(id)?.user.id, 'bob')
  for (const { id } of [outside, expired, stranger]) assert.not(found.has(id))
  assert.is((await bob.get('/v1/orgs/acme/tokens')).status, 403)
})

test('a token limited to the organization is revoked with its descendants', async () => {
  const { id, as } = tokenOf('bob', { organizationId: 'acme' })
  const made = await as.post('/v1/user/tokens', { name: 'child' })
  const child = actor(app.url, 'bob', made.body.token)
  assert.is((await app.admin.delete(`/v1/orgs/acme/tokens/${id}`)).status, 204)
  for (const gone of [as, child]) assert.is((await gone.get('/v1/user')).status, 401)
})

test('any other token is refused here and works elsewhere, like its descendants', async () => {
  const { id, as } = tokenOf('bob')
  const before = await as.post('/v1/user/tokens', { name: 'before' })
  assert.is((await as.get(`/v1/spaces/${space.id}/content`)).status, 200)
  assert.is((await as.get(`/v1/spaces/${space.id}/content`)).status, 200)
  assert.is((await app.admin.delete(`/v1/orgs/acme/tokens/${id}`)).status, 204)
  const after = await as.post('/v1/user/tokens', { name: 'after' })

  for (const token of [
    as,
    ...[before, after].map(each => actor(app.url, 'bob', each.body.token)),
  ]) {
    const reply = await token.get(`/v1/spaces/${space.id}/content`)
    assert.is(reply.status, 403)
    assert.match(reply.body.error.message, /refused this token/)
    assert.is((await token.get('/v1/orgs/acme')).status, 403)
    assert.is((await token.get('/v1/orgs/other')).status, 200)
    const { items } = (await token.get('/v1/orgs')).body

    assert.equal(
      items.map((each: { id: string }) => each.id),
      ['other'],
    )
  }

  assert.is((await listed()).get(id)?.accepted, false)
  assert.is((await bob.get(`/v1/spaces/${space.id}/content`)).status, 200)
})

test('an organization accepts only tokens within its maximum lifetime', async () => {
  const month = tokenOf('bob', { expiresAt: later(30) })
  const week = tokenOf('bob', { expiresAt: later(7) })
  const own = tokenOf(app.admin.id, { expiresAt: later(7) }).as
  const tooLong = await app.admin.patch('/v1/orgs/acme', { maxTokenAgeDays: 7 })

  assert.is(tooLong.status, 400)
  assert.match(tooLong.body.error.message, /would be locked out/)
  assert.is((await own.patch('/v1/orgs/acme', { maxTokenAgeDays: 7 })).body.maxTokenAgeDays, 7)
  assert.is((await week.as.get(`/v1/spaces/${space.id}`)).status, 200)

  for (const { as } of [month, { as: bob }]) {
    const reply = await as.get(`/v1/spaces/${space.id}`)
    assert.is(reply.status, 403)
    assert.match(reply.body.error.message, /expire within 7 days/)
    assert.is((await as.get('/v1/orgs/other')).status, 200)
  }

  // Otherwise a token that is not accepted could create one that is.
  const made = await bob.post('/v1/user/tokens', { name: 'short', expiresAt: later(1) })

  assert.is(
    (await actor(app.url, 'bob', made.body.token).get(`/v1/spaces/${space.id}`)).status,
    403,
  )

  // Users outside the organization learn nothing about its rules.
  assert.is((await app.user('Tia').get(`/v1/spaces/${space.id}`)).status, 404)
  assert.is((await own.patch('/v1/orgs/acme', { maxTokenAgeDays: null })).status, 200)
  assert.is((await bob.get(`/v1/spaces/${space.id}`)).status, 200)
})

test.run()
