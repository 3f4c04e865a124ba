import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, actor, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'

const app = await startApp()
const { space } = await makeSpace(app, { 'README.md': '# One\n' })
const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

test.after(() => app.stop())

/** Creates a token with another one; returns a client for it and the API's answer. */
async function child(by: Actor, wish: object = {}) {
  const { status, body, text } = await by.post('/v1/user/tokens', { name: 'child', ...wish })
  assert.is(status, 201, text)
  const { token, ...shown } = body
  return { shown, as: actor(app.url, by.id, token) }
}

const refused = async (by: Actor, wish: object) => {
  const { status, body } = await by.post('/v1/user/tokens', { name: 'child', ...wish })
  return [status, body.error?.message]
}

test('a token has full scope by default', async () => {
  const { shown } = await child(app.user('Abe', 'read'))
  assert.equal(shown.scopes, ['admin'])
  assert.is(typeof shown.parent, 'string')
  for (const name of ['organization', 'space', 'expiresAt']) assert.not(name in shown)
})

test('omitted properties are inherited, and exceeding ones refused', async () => {
  const ben = app.user('Ben', 'read')
  const expiresAt = later(1)
  const { shown, as } = await child(ben, { scopes: ['tokens:admin', 'content:write'], expiresAt })
  const { shown: grandchild } = await child(as)

  assert.equal([grandchild.scopes, grandchild.expiresAt], [shown.scopes, expiresAt])
  assert.is(grandchild.parent, shown.id)
  const { shown: less } = await child(as, { scopes: ['content:read'], expiresAt: later(0.5) })

  assert.equal(less.scopes, ['content:read'])
  assert.match(
    (await refused(as, { scopes: ['read'] })).join(),
    /^403,.*does not have the scope "read"/,
  )
  assert.match((await refused(as, { scopes: ['content:admin'] })).join(), /^403,.*"content:admin"/)
  assert.match(
    (await refused(as, { expiresAt: later(2) })).join(),
    /^400,.*expires at .* expire later/,
  )
})

test('a limit is inherited and can only become narrower', async () => {
  const { as } = await child(app.admin, { organization: 'acme' })
  const { shown, as: narrow } = await child(as, { space: space.id })
  assert.equal([shown.organization, shown.space], ['acme', space.id])
  assert.is((await child(narrow)).shown.space, space.id)
  assert.is((await refused(as, { organization: 'other' }))[0], 404)
  assert.is((await refused(narrow, { space: 'other' }))[0], 404)
  assert.is((await refused(app.admin, { organization: 'nothing' }))[0], 404)
})

test('a limited token sees only itself and its descendants', async () => {
  const cy = app.user('Cy', 'read')
  const { shown: other } = await child(cy)
  const { shown, as } = await child(cy, { organization: 'acme' })
  const { shown: own } = await child(as)
  const ids = (await as.get('/v1/user/tokens')).body.items.map((each: { id: string }) => each.id)

  assert.equal(ids, [own.id, shown.id])
  assert.is((await as.delete(`/v1/user/tokens/${other.id}`)).status, 204)
  assert.is((await cy.get('/v1/user/tokens')).body.count, 4)
  assert.is((await as.delete('/v1/user/tokens')).status, 204)
  assert.is((await as.get('/v1/user')).status, 401)
  assert.is((await cy.get('/v1/user/tokens')).body.count, 2)
})

test('revocation includes descendants', async () => {
  const di = app.user('Di', 'read')
  const { shown, as } = await child(di)
  const { as: second } = await child(as)
  const { as: third } = await child(second)
  const { as: beside } = await child(di)
  assert.is((await di.delete(`/v1/user/tokens/${shown.id}`)).status, 204)
  for (const gone of [as, second, third]) assert.is((await gone.get('/v1/user')).status, 401)
  assert.is((await beside.get('/v1/user')).status, 200)
})

test('all tokens are revoked at once, with or without the current one', async () => {
  const ed = app.user('Ed', 'read')
  const { as: parent } = await child(ed)
  const { as: asking } = await child(parent)
  const { as: beside } = await child(parent)

  assert.is((await asking.delete('/v1/user/tokens?except=current')).status, 204)
  for (const kept of [ed, parent, asking]) assert.is((await kept.get('/v1/user')).status, 200)
  assert.is((await beside.get('/v1/user')).status, 401)
  assert.is((await asking.delete('/v1/user/tokens')).status, 204)
  for (const gone of [ed, parent, asking]) assert.is((await gone.get('/v1/user')).status, 401)
})

test('a user at the token limit can create one after revoking another', async () => {
  const flo = app.user('Flo', 'read')
  let last = ''
  for (let made = 1; made < 100; made++) last = (await child(flo)).shown.id
  const [status, message] = await refused(flo, {})
  assert.is(status, 429)
  assert.match(String(message), /A user can have 100 tokens/)
  assert.is((await flo.delete(`/v1/user/tokens/${last}`)).status, 204)
  await child(flo)
})

test.run()
