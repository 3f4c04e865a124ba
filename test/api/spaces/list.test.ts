import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { insertTeam, putTeamMember } from '../../../src/store/people/teams.ts'
import { insertSpace, updateSpace } from '../../../src/store/spaces/spaces.ts'
import type { Role } from '../../../src/store/tables/roles.ts'
import { type Actor, startApp } from '../../support/app.ts'

const app = await startApp()
const member = app.user('Max', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')
const path = '/v1/orgs/acme/spaces'
const at = '2026-01-01T00:00:00.000Z'

test.after(() => app.stop())

const make = async (title: string): Promise<string> =>
  (await app.admin.post(path, { title })).body.id
const give = (kind: 'user' | 'team', subject: string, spaceId: string, role: Role | null) =>
  putPermission(app.ctx.store, {
    target_kind: 'space',
    target_id: spaceId,
    subject_kind: kind,
    subject_id: subject,
    role,
    created_at: at,
  })
const ids = (reply: { body: { items: { id: string }[] } }) => reply.body.items.map(item => item.id)
const roleOf = async (who: Actor, id: string) => {
  const { permissions } = (await who.get(`/v1/spaces/${id}`)).body
  return ['admin', 'review', 'edit', 'comment', 'view'].find(name => permissions?.[name])
}

test('the list shows the visible spaces, with the same fields as a single read', async () => {
  const [open, closed, given, gone] = [
    await make('Open'),
    await make('Closed'),
    await make('Given'),
    await make('Gone'),
  ]

  updateSpace(app.ctx.store, closed, { default_level: null })
  updateSpace(app.ctx.store, given, { default_level: null })
  give('user', 'gus', given, 'comment')
  assert.is((await app.admin.delete(`/v1/spaces/${gone}`)).status, 204)

  assert.equal(ids(await app.admin.get(path)), [open, closed, given])
  assert.equal(ids(await member.get(path)), [open])
  assert.equal(ids(await guest.get(path)), [given])
  assert.is((await stranger.get(path)).status, 404)
  assert.is((await app.anonymous.get(path)).status, 401)
  const single = await guest.get(`/v1/spaces/${given}`)

  assert.equal((await guest.get(path)).body.items, [single.body])
  assert.is((await guest.get(`/v1/spaces/${open}`)).status, 404)
  assert.is((await member.get(`/v1/spaces/${closed}`)).status, 404)
})

test('roles apply over HTTP: a default level, a team, a nearer level', async () => {
  const { body: collection } = await app.admin.post('/v1/orgs/acme/collections', { title: 'C' })
  const id = (await app.admin.post(path, { parent: collection.id })).body.id
  assert.is(await roleOf(member, id), 'view')
  await app.admin.patch(`/v1/collections/${collection.id}`, { defaultLevel: 'edit' })
  assert.is(await roleOf(member, id), 'edit')
  await app.admin.patch(`/v1/spaces/${id}`, { defaultLevel: 'comment' })
  assert.is(await roleOf(member, id), 'comment')
  insertTeam(app.ctx.store, { id: 'team', organization_id: 'acme', title: 'Team', created_at: at })
  putTeamMember(app.ctx.store, 'team', 'max')
  putTeamMember(app.ctx.store, 'team', 'gus')
  putPermission(app.ctx.store, {
    target_kind: 'collection',
    target_id: collection.id,
    subject_kind: 'team',
    subject_id: 'team',
    role: 'admin',
    created_at: at,
  })
  assert.is(await roleOf(member, id), 'admin')
  assert.is(await roleOf(guest, id), 'admin')
  give('user', 'gus', id, 'read')
  give('team', 'team', id, 'edit')
  assert.is(await roleOf(guest, id), 'edit')
  give('team', 'team', id, null)
  give('user', 'gus', id, null)
  assert.is(await roleOf(guest, id), undefined)
  assert.is(await roleOf(member, id), undefined)
})

test('pages are full even when much is invisible, with nothing missing or repeated', async () => {
  const { revision } = (await app.admin.get(path)).body.items[0]
  assert.match(revision, /^[0-9a-f]{40}$/)
  const seen: string[] = []

  // Rows without a repository: a list never opens one for invisible spaces.
  for (let i = 0; i < 450; i++) {
    insertSpace(app.ctx.store, {
      id: `x${i}`,
      organization_id: 'acme',
      title: 'X',
      position: 1000 + i,
      default_level: null,
      created_at: at,
      updated_at: at,
    })
  }

  const last = await make('Last')

  for (let page = ''; ; ) {
    const reply = await member.get(`${path}?limit=2${page}`)
    assert.is(reply.status, 200)
    if (reply.body.next) assert.is(reply.body.count, 2)
    seen.push(...ids(reply))
    if (!reply.body.next) break
    page = `&page=${encodeURIComponent(reply.body.next.page)}`
  }

  assert.equal(seen, [...new Set(seen)])
  assert.is(seen.at(-1), last)
  assert.equal(seen, ids(await member.get(`${path}?limit=1000`)))
})

test('a cursor belongs to its list and its reader', async () => {
  const { body } = await app.admin.get(`${path}?limit=1`)
  const page = encodeURIComponent(body.next.page)
  assert.is((await member.get(`${path}?page=${page}`)).status, 400)
  assert.is((await app.admin.get(`/v1/orgs/acme/collections?page=${page}`)).status, 400)
  assert.is((await app.admin.get(`${path}?page=x`)).status, 400)
  assert.is((await app.admin.get(`${path}?limit=1001`)).status, 400)
  const ignored = await app.admin.get(`${path}?limit=1&order=asc`)
  assert.equal([ignored.status, ignored.headers.get('stemma-ignored')], [200, 'order'])
})

test.run()
