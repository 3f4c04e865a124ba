import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { updateMember } from '../../../src/store/people/members.ts'
import {
  insertOrganization,
  putMember,
  updateOrganization,
} from '../../../src/store/people/organizations.ts'
import { findUser, findUserByEmail } from '../../../src/store/people/users.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { actor, startApp } from '../../support/app.ts'

const app = await startApp()
const { admin, ctx } = app
const at = '2026-01-01T00:00:00.000Z'
const path = '/v1/orgs/acme/invites'
const member = app.user('Max', 'create')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')
insertOrganization(ctx.store, { id: 'other', title: 'Other', created_at: at })
putMember(ctx.store, 'other', 'sid', 'read', at)

test.after(() => app.stop())

const roleOf = async (id: string) => (await admin.get(`/v1/orgs/acme/members/${id}`)).body.role
const idOf = (email: string) => findUserByEmail(ctx.store, email, 'acme')?.id ?? ''
const tokenFor = (id: string) =>
  actor(app.url, id, createToken(ctx.store, { userId: id, name: 'test' }, ctx.now()).secret)

test('an address with invisible characters is refused', async () => {
  for (const email of [
    'zero\u200b@example.net',
    '\u202erevo@example.net',
    'soft\u00ad@example.net',
  ]) {
    const reply = await admin.post(path, { emails: [email] })
    assert.is(reply.status, 400)
    assert.match(reply.body.error.message, /^"emails.0" in the body: takes an e-mail address/)
  }
})

test('an invalid invitation is refused with the reason', async () => {
  const said = async (body: object) => (await admin.post(path, body)).body.error.message
  const roles = 'admin, create, review, edit, comment, read or null'
  assert.is(await said({}), '"emails" in the body: must be there: takes a list.')
  assert.is(await said({ emails: ['a@b.c'], role: 'owner' }), `"role" in the body: takes ${roles}.`)
  assert.is(
    await said({ emails: [{ email: 'a@b.c', role: 'owner' }] }),
    '"emails.0" in the body: takes an e-mail address, or {"email", "role"}.',
  )
})

test('only admins can invite', async () => {
  const body = (email: string) => ({ emails: [email], role: 'admin' })
  for (const who of [member, guest]) {
    assert.is((await who.post(path, body(`${who.id}@example.org`))).status, 403)
    assert.is((await who.post(path, body('friend@example.net'))).status, 403)
  }

  assert.is((await stranger.post(path, body('sid@example.org'))).status, 404)
  assert.is((await app.anonymous.post(path, body('sid@example.org'))).status, 401)
  assert.not(findUserByEmail(ctx.store, 'friend@example.net', 'acme'))
  assert.is(await roleOf('max'), 'create')
})

test('known and new users are added by address, and members stay unchanged', async () => {
  const emails = [
    'New.Person@example.net',
    { email: 'sid@EXAMPLE.org', role: null },
    { email: 'max@example.org', role: 'admin' },
    'new.person@EXAMPLE.net',
  ]
  const { status, body } = await admin.post(path, { emails })
  assert.is(status, 200)
  const made = idOf('new.person@example.net')

  // Sid belongs to another organization and gets an invitation; the answer reveals neither.
  const [, pending] = body.users

  assert.equal(body, { users: [made, pending], invited: 2 })
  assert.is(pending.length, made.length)
  assert.is((await admin.get('/v1/orgs/acme/members/sid')).status, 404)
  assert.is(findUser(ctx.store, made)?.display_name, 'New.Person')
  assert.is(findUser(ctx.store, made)?.email, 'New.Person@example.net')
  assert.equal([await roleOf(made), await roleOf('max')], ['read', 'create'])
  const asked = (await stranger.get('/v1/user/invitations')).body.items

  assert.equal(
    asked.map((item: { id: string; role: string | null; organization: object }) => [
      item.id,
      item.role,
      item.organization,
    ]),
    [[pending, null, { id: 'acme', title: 'Acme' }]],
  )
  assert.is((await guest.post(`/v1/user/invitations/${pending}`)).status, 404)
  assert.is((await stranger.post(`/v1/user/invitations/${pending}`)).status, 204)
  assert.is(await roleOf('sid'), null)
  assert.is((await stranger.post(`/v1/user/invitations/${pending}`)).status, 404)
  assert.equal((await admin.post(path, { emails, role: 'edit' })).body, { users: [], invited: 0 })
  const events = ctx.store.all(
    sqlRows<{ target_id: string; details: unknown }>(
      sql`select target_id, details from audit_event where action = 'member.invited' order by seq`,
    ),
  )

  assert.equal(events, [
    { target_id: made, details: { role: 'read', sso: false } },
    { target_id: pending, details: { role: null, sso: false } },
  ])
  assert.is((await tokenFor(made).get('/v1/orgs/acme')).status, 200)
})

test('the same Idempotency-Key invites once', async () => {
  const send = () =>
    admin.post(path, { emails: ['once@example.net'] }, { 'idempotency-key': 'invite-once' })
  const first = await send()
  assert.equal((await send()).body, first.body)
  assert.is(first.body.invited, 1)
})

test('an organization with the default role admin does not make new members admins', async () => {
  updateOrganization(ctx.store, 'acme', { default_role: 'admin' })
  await admin.post(path, { emails: ['everything@example.net'] })
  assert.is(await roleOf(idOf('everything@example.net')), 'create')
  updateOrganization(ctx.store, 'acme', { default_role: null })
  await admin.post(path, { emails: ['nothing@example.net'] })
  assert.is(await roleOf(idOf('nothing@example.net')), null)
  updateOrganization(ctx.store, 'acme', { default_role: 'read' })
})

test('single sign-on is limited to addresses in domains of the organization', async () => {
  updateOrganization(ctx.store, 'acme', { email_domains: ['acme.example'] })
  const emails = ['in@ACME.example', 'out@example.net', 'evil@acme.example.net', 'max@example.org']
  const { body } = await admin.post(path, { emails, sso: true, role: 'read' })
  assert.equal(body.failedSSOEmails, ['out@example.net', 'evil@acme.example.net'])
  assert.is(body.invited, 3)
  assert.ok((await admin.get(`/v1/orgs/acme/members/${idOf('in@acme.example')}`)).body.sso)
  assert.not((await admin.get(`/v1/orgs/acme/members/${idOf('out@example.net')}`)).body.sso)
})

test('invalid bodies are refused with a reason', async () => {
  const refused: [body: unknown, message: RegExp][] = [
    [{}, /"emails"/],
    [{ emails: [] }, /"emails"/],
    [{ emails: ['no address'] }, /e-mail address/],
    [{ emails: ['a@b@c'] }, /e-mail address/],
    [{ emails: ['a\u0000@b.example'] }, /./],
    [{ emails: [{ email: 'a@b.example' }] }, /"email", "role"/],
    [{ emails: [{ email: 'a@b.example', role: 'owner' }] }, /"email", "role"/],
    [{ emails: Array.from({ length: 101 }, (_, index) => `a${index}@b.example`) }, /100/],
    [{ emails: [`${'a'.repeat(250)}@b.example`] }, /"emails/],
    [{ emails: ['a@b.example'], role: 'owner' }, /"role"/],
    [{ emails: ['a@b.example', { email: 'A@b.example', role: 'admin' }] }, /twice/],
  ]

  for (const [body, message] of refused) {
    const reply = await admin.post(path, body)
    assert.is(reply.status, 400, JSON.stringify(body))
    assert.match(reply.body.error.message, message)
  }

  assert.not(findUserByEmail(ctx.store, 'a@b.example', 'acme'))
})

test('users with an address in a domain of the organization can join; for others it does not exist', async () => {
  updateOrganization(ctx.store, 'acme', { email_domains: ['example.org'] })
  const joiner = app.user('Joe')
  const join = '/v1/orgs/acme/join'
  assert.is((await joiner.post(join)).status, 204)
  assert.is(await roleOf('joe'), 'read')
  assert.is((await joiner.post(join)).status, 204)
  assert.is((await member.post(join)).status, 204)
  assert.is(await roleOf('max'), 'create')
  assert.is((await app.anonymous.post(join)).status, 401)
  updateOrganization(ctx.store, 'acme', { email_domains: [] })
  const other = app.user('Jane')
  const refused = await other.post(join)

  assert.is(refused.status, 404)
  const unknown = await other.post('/v1/orgs/nowhere/join')

  assert.is(refused.text, unknown.text.replace('nowhere', 'acme'))
  updateMember(ctx.store, 'acme', 'joe', { disabled: 1 })
  assert.is((await joiner.post(join)).status, 403)
})

test('an address is the same in any case and Unicode form', async () => {
  const forms = ['Zoë.Ärn@example.net', 'ZOË.ÄRN@EXAMPLE.net', 'zoe\u0308.a\u0308rn@example.net']
  const first = await admin.post(path, { emails: forms, role: 'read' })
  assert.is(first.status, 200)
  assert.is(first.body.invited, 1)
  const [id] = first.body.users

  for (const form of forms) {
    assert.equal((await admin.post(path, { emails: [form] })).body, { users: [], invited: 0 }, form)
    const team = await admin.put('/v1/orgs/acme/teams', { title: 'Zoë', members: [form] })
    assert.is(team.status, 201, form)
    const members = `/v1/orgs/acme/teams/${team.body.id}/members`

    assert.is((await admin.get(members)).body.items[0].organization.id, id)
    const memberships = { [form]: { role: 'owner' } }

    assert.is((await admin.put(members, { memberships })).status, 204, form)
    assert.is((await admin.put(members, { remove: [form] })).status, 204, form)
    assert.is((await admin.get(members)).body.count, 0)
  }
})

test.run()
