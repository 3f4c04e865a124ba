import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { insertTeam } from '../../../src/store/people/teams.ts'
import { startApp } from '../../support/app.ts'
import { listPermissions } from '../../support/permissions.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const member = app.user('Max', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')
const at = '2026-01-01T00:00:00.000Z'

test.after(() => app.stop())

type Listed = { id: string; parent?: string }
const make = async (title: string): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title, empty: true })).body.id
const order = async () =>
  (await app.admin.get('/v1/orgs/acme/spaces')).body.items
    .filter((item: Listed) => !item.parent)
    .map((item: Listed) => item.id)
const move = (id: string, body: unknown, who = creator) => who.post(`/v1/spaces/${id}/move`, body)
const before = (space: string) => ({ position: { before: { type: 'space', space } } })
const after = (space: string) => ({ position: { after: { type: 'space', space } } })

const [a, b, c] = [await make('A'), await make('B'), await make('C')]
const { body: collection } = await app.admin.post('/v1/orgs/acme/collections', { title: 'Col' })

test('a space moves among its siblings', async () => {
  assert.is((await move(c, before(a))).status, 200)
  assert.equal(await order(), [c, a, b])
  assert.is((await move(c, after(a))).status, 200)
  assert.equal(await order(), [a, c, b])
  assert.is((await move(a, { parent: null })).status, 200)
  assert.equal(await order(), [c, b, a])
  const between = {
    position: { after: { type: 'space', space: c }, before: { type: 'space', space: b } },
  }

  assert.is((await move(a, between)).status, 200)
  assert.equal(await order(), [c, a, b])
  const behind = { position: { after: { type: 'collection', collection: collection.id } } }

  assert.is((await move(c, behind)).status, 200)
  assert.equal(await order(), [a, b, c])
})

test('a space moves into a collection and back', async () => {
  const moved = await move(a, { parent: collection.id })
  assert.equal([moved.status, moved.body.parent], [200, collection.id])
  assert.is((await move(b, { parent: collection.id, ...before(a) })).status, 200)
  const inside = (await app.admin.get(`/v1/collections/${collection.id}/spaces`)).body.items

  assert.equal(
    inside.map((item: Listed) => item.id),
    [b, a],
  )
  assert.not('parent' in (await move(a, { parent: null, ...before(c) })).body)
  assert.not('parent' in (await move(b, { parent: null })).body)
  assert.equal(await order(), [a, c, b])
})

test('a user who can create only in a space is refused next to it with 403', async () => {
  await move(a, { parent: collection.id })
  await move(b, { parent: collection.id })
  for (const id of [a, b])
    await app.admin.patch(`/v1/spaces/${id}/permissions/users/gus`, { role: 'create' })
  const { status, text } = await move(a, before(b), guest)

  assert.is(status, 403, text)
  assert.not.match(text, new RegExp(collection.id))
  assert.is((await move(a, { parent: collection.id }, guest)).status, 404)

  for (const id of [a, b]) {
    await app.admin.delete(`/v1/spaces/${id}/permissions/users/gus`)
    await move(id, { parent: null, ...before(c) })
  }

  await move(b, after(c))
})

test('a move that is repeated succeeds, and changes nothing', async () => {
  const moves = async () =>
    (await app.admin.get('/v1/orgs/acme/audit-events?action=space.moved')).body.count
  const earlier = await moves()
  for (const [id, body] of [
    [a, before(c)],
    [b, { position: {}, parent: null }],
  ] as const) {
    assert.is((await move(id, body)).status, 200, JSON.stringify(body))
  }
  assert.is(await moves(), earlier)
})

test('an invalid move is refused with a reason', async () => {
  assert.is((await move(a, {})).status, 400)
  assert.is((await move(a, before('unknown'))).status, 400)
  assert.is((await move(a, before(a))).status, 400)
  assert.is((await move(a, { parent: collection.id, ...before(c) })).status, 400)
  assert.is((await move(a, { position: { before: { type: 'page', page: 'x' } } })).status, 400)
  assert.is((await move(a, { parent: 'unknown' })).status, 404)
  assert.is((await move('unknown', { parent: null })).status, 404)
  assert.is((await move(a, after(b), member)).status, 403)
  assert.is((await move(a, after(b), guest)).status, 404)
  assert.is((await move(a, after(b), stranger)).status, 404)
  assert.is((await move(a, after(b), app.anonymous)).status, 401)
})

test('a transferred space loses the grants of the old organization', async () => {
  insertOrganization(app.ctx.store, {
    id: 'other',
    title: 'Other',
    created_at: at,
    default_role: null,
  })
  insertTeam(app.ctx.store, { id: 'team', organization_id: 'acme', title: 'Team', created_at: at })

  for (const [id, role] of [
    ['ada', 'create'],
    ['gus', null],
  ] as const)
    putMember(app.ctx.store, 'other', id, role, at)

  const grants = [
    ['user', 'max'],
    ['user', 'gus'],
    ['user', 'ada'],
    ['team', 'team'],
  ] as const

  for (const [kind, id] of grants) {
    putPermission(app.ctx.store, {
      target_kind: 'space',
      target_id: a,
      subject_kind: kind,
      subject_id: id,
      role: 'review',
      created_at: at,
    })
  }

  await move(a, { parent: collection.id })
  const send = (organization: unknown, who = app.admin) =>
    who.post(`/v1/spaces/${a}/transfer`, { organization })

  assert.is((await send('other', creator)).status, 403)
  assert.is((await send('other', stranger)).status, 404)
  assert.is((await send('other', app.anonymous)).status, 401)
  assert.is((await send('unknown')).status, 404)
  assert.is((await send('acme')).status, 409)
  assert.is((await send(5)).status, 400)
  putMember(app.ctx.store, 'other', 'ada', 'edit', at)
  assert.is((await send('other')).status, 403)
  putMember(app.ctx.store, 'other', 'ada', 'create', at)

  const sent = await send('other')

  assert.is(sent.status, 200)
  assert.equal(
    [sent.body.organization, sent.body.parent, sent.body.permissions.admin],
    ['other', undefined, false],
  )
  assert.is((await member.get(`/v1/spaces/${a}`)).status, 404)
  assert.is((await guest.get(`/v1/spaces/${a}`)).body.permissions.review, true)
  assert.equal(
    listPermissions(app.ctx.store, 'space', a).map(row => row.subject_id),
    ['ada', 'gus'],
  )

  assert.equal(
    (await app.admin.get('/v1/orgs/other/spaces')).body.items.map((item: Listed) => item.id),
    [a],
  )
})

test.run()
