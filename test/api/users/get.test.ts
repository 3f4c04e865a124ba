import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { updateUser } from '../../../src/store/people/users.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const bob = app.user('Bob', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')

test.after(() => app.stop())

test('users can read themselves', async () => {
  for (const who of [bob, guest, stranger]) {
    const me = await who.get('/v1/user')
    assert.is(me.status, 200)
    assert.is(me.body.id, who.id)
    assert.equal((await who.get(`/v1/users/${who.id}`)).body, me.body)
  }

  const { body } = await bob.get('/v1/user')
  assert.equal(body, {
    object: 'user',
    id: 'bob',
    displayName: 'Bob',
    email: 'bob@example.org',
    urls: { location: `${app.url}/v1/users/bob` },
  })
})

test('other users are visible within a shared organization', async () => {
  assert.is((await guest.get('/v1/users/bob')).body.displayName, 'Bob')
  assert.is((await bob.get('/v1/users/gus')).status, 200)
  assert.is((await stranger.get('/v1/users/bob')).status, 404)
  assert.is((await bob.get('/v1/users/sid')).status, 404)
  assert.is((await bob.get('/v1/users/nobody')).status, 404)
  assert.is((await app.anonymous.get('/v1/users/bob')).status, 401)
  const at = app.ctx.now().toISOString()

  insertOrganization(app.ctx.store, { id: 'other', title: 'Other', created_at: at })
  putMember(app.ctx.store, 'other', 'sid', 'read', at)
  putMember(app.ctx.store, 'other', 'bob', null, at)
  assert.is((await stranger.get('/v1/users/bob')).status, 200)
})

test('users can only update themselves', async () => {
  const changed = await bob.patch('/v1/users/bob', {
    displayName: '  Bob B. ',
    photoURL: 'https://example.org/b.png',
  })

  assert.is(changed.status, 200)
  assert.equal(
    [changed.body.displayName, changed.body.photoURL],
    ['Bob B.', 'https://example.org/b.png'],
  )
  const without = await bob.patch('/v1/users/bob', { photoURL: null })

  assert.not('photoURL' in without.body)
  assert.is(without.body.displayName, 'Bob B.')
  assert.is((await app.admin.patch('/v1/users/bob', { displayName: 'X' })).status, 403)
  assert.is((await bob.patch('/v1/users/nobody', { displayName: 'X' })).status, 404)
  assert.is((await app.anonymous.patch('/v1/users/bob', { displayName: 'X' })).status, 401)
})

test('an invalid update is refused with a reason', async () => {
  const refused: [body: unknown, message: RegExp][] = [
    [{}, /takes "displayName", "photoURL" or both/],
    [{ displayName: '' }, /"displayName" in the body: takes 1 to 64 characters/],
    [{ displayName: ' \t ' }, /takes 1 to 64/],
    [{ displayName: 'x'.repeat(65) }, /takes 1 to 64/],
    [{ displayName: 'a\nb' }, /takes one line/],
    [{ photoURL: 'javascript:alert(1)' }, /"photoURL"/],
    [{ email: 'x@example.org' }, /email/],
  ]

  for (const [body, message] of refused) {
    const reply = await bob.patch('/v1/users/bob', body)
    assert.is(reply.status, 400, JSON.stringify(body))
    assert.match(reply.body.error.message, message)
  }

  assert.is((await bob.patch('/v1/users/bob', { displayName: '👍'.repeat(64) })).status, 200)
})

test('users with any name can create spaces', async () => {
  const eve = app.user('Eve', 'create')
  const refused = await eve.patch('/v1/users/eve', { displayName: 'E <v> "e" <e@x>' })
  assert.is(refused.status, 400)
  assert.match(refused.body.error.message, /angle brackets/)
  // A name from before the check existed.
  updateUser(app.ctx.store, 'eve', { display_name: 'E <v> "e" <e@x>' })
  assert.is((await eve.post('/v1/orgs/acme/spaces', {})).status, 201)
})

test.run()
