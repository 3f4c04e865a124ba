import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { updateSpace } from '../../../src/store/spaces/spaces.ts'
import type { Role } from '../../../src/store/tables/roles.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const member = app.user('Max', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')

test.after(() => app.stop())

const ids = (reply: { body: { items: { id: string }[] } }) => reply.body.items.map(item => item.id)

async function make(title: string, parent?: string): Promise<string> {
  const made = await app.admin.post('/v1/orgs/acme/collections', {
    title,
    ...(parent && { parent }),
  })
  assert.is(made.status, 201)
  return made.body.id
}

const give = (id: string, userId: string, role: Role | null) =>
  putPermission(app.ctx.store, {
    target_kind: 'collection',
    target_id: id,
    subject_kind: 'user',
    subject_id: userId,
    role,
    created_at: app.ctx.now().toISOString(),
  })

test('only users with the role create can create collections', async () => {
  const made = await creator.post('/v1/orgs/acme/collections')
  assert.is(made.status, 201)
  assert.equal(made.body, {
    object: 'collection',
    id: made.body.id,
    title: 'Untitled',
    organization: 'acme',
    defaultLevel: 'inherit',
    urls: { location: made.headers.get('location'), app: made.headers.get('location') },
    permissions: { view: true, admin: false, viewInviteLinks: false, create: true },
  })
  assert.is((await member.post('/v1/orgs/acme/collections', {})).status, 403)
  assert.is((await guest.post('/v1/orgs/acme/collections', {})).status, 403)
  assert.is((await stranger.post('/v1/orgs/acme/collections', {})).status, 404)
  assert.is((await app.anonymous.post('/v1/orgs/acme/collections', {})).status, 401)

  for (const body of [
    { title: '' },
    { title: 'x'.repeat(51) },
    { title: 'a\u0007' },
    { parent: null },
    { emoji: '🎉' },
  ]) {
    assert.is(
      (await creator.post('/v1/orgs/acme/collections', body)).status,
      400,
      JSON.stringify(body),
    )
  }
})

test('a collection can be in another one of the same organization', async () => {
  const outer = await make('Outer')
  const inner = await make('Inner', outer)
  assert.is((await member.get(`/v1/collections/${inner}`)).body.parent, outer)
  insertOrganization(app.ctx.store, {
    id: 'other',
    title: 'Other',
    created_at: '2026-01-01T00:00:00.000Z',
  })
  putMember(app.ctx.store, 'other', 'ada', 'admin', '2026-01-01T00:00:00.000Z')
  assert.is((await app.admin.post('/v1/orgs/other/collections', { parent: outer })).status, 404)
  assert.is((await app.admin.post('/v1/orgs/acme/collections', { parent: 'unknown' })).status, 404)
  const all = ids(await member.get('/v1/orgs/acme/collections'))

  assert.ok(all.includes(outer) && all.includes(inner))
  const top = ids(await member.get('/v1/orgs/acme/collections?nested=false'))

  assert.ok(top.includes(outer) && !top.includes(inner))
  assert.is((await member.get('/v1/orgs/acme/collections?nested=1')).status, 400)
})

test('a guest sees and fills only granted collections', async () => {
  const given = await make('Given')
  const inside = await make('Inside', given)
  const closed = await make('Closed', given)
  give(given, 'gus', 'create')
  give(closed, 'gus', null)
  assert.equal(ids(await guest.get('/v1/orgs/acme/collections')).sort(), [given, inside].sort())
  assert.is((await guest.get(`/v1/collections/${closed}`)).status, 404)
  const made = await guest.post('/v1/orgs/acme/collections', { parent: given, title: 'Mine' })

  assert.is(made.status, 201)
  const space = await guest.post('/v1/orgs/acme/spaces', { parent: made.body.id })

  assert.is(space.status, 201)
  assert.equal(ids(await guest.get(`/v1/collections/${made.body.id}/spaces`)), [space.body.id])
  assert.is((await guest.post('/v1/orgs/acme/spaces', {})).status, 403)
  assert.is((await guest.post('/v1/orgs/acme/spaces', { parent: closed })).status, 404)
})

test('admins can update a collection', async () => {
  const id = await make('Old')
  const path = `/v1/collections/${id}`
  const body = { title: 'New', description: 'What it is for', defaultLevel: 'comment' }
  assert.is((await creator.patch(path, body)).status, 403)
  assert.is((await member.patch(path, body)).status, 403)
  assert.is((await guest.patch(path, body)).status, 404)
  assert.is((await app.anonymous.patch(path, body)).status, 401)
  const { body: changed } = await app.admin.patch(path, body)

  assert.equal({ ...changed, ...body }, changed)
  assert.not('description' in (await app.admin.patch(path, { description: '' })).body)
  assert.is((await app.admin.patch(path, { defaultLevel: null })).body.defaultLevel, null)
  assert.is((await member.get(path)).status, 404)
  assert.is((await creator.get(path)).status, 200)

  for (const wrong of [
    { description: 'x'.repeat(101) },
    { defaultLevel: 'none' },
    { parent: null },
  ]) {
    assert.is((await app.admin.patch(path, wrong)).status, 400, JSON.stringify(wrong))
  }
})

test('only an empty collection can be deleted, and deletes are repeatable', async () => {
  const outer = await make('Outer')
  const inner = await make('Inner', outer)
  const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { parent: inner })

  for (const id of [outer, inner]) {
    const refused = await app.admin.delete(`/v1/collections/${id}`)
    assert.is(refused.status, 409)
    assert.match(refused.body.error.message, /collection is not empty/)
  }

  assert.is((await member.delete(`/v1/collections/${inner}`)).status, 403)
  assert.is((await app.anonymous.delete(`/v1/collections/${inner}`)).status, 401)
  assert.is((await stranger.delete(`/v1/collections/${inner}`)).status, 204)
  assert.is((await app.admin.get(`/v1/collections/${inner}`)).status, 200)
  assert.is((await app.admin.delete(`/v1/spaces/${space.id}`)).status, 204)
  for (const id of [inner, outer, outer, 'unknown'])
    assert.is((await app.admin.delete(`/v1/collections/${id}`)).status, 204)
  assert.is((await app.admin.get(`/v1/collections/${outer}`)).status, 404)
  const restored = await app.admin.post(`/v1/spaces/${space.id}/restore`)

  assert.is(restored.status, 200)
  assert.not('parent' in restored.body)
})

test('collections can be nested twenty levels deep', async () => {
  let parent: string | undefined
  for (let level = 1; level <= 20; level++) parent = await make(`Level ${level}`, parent)
  const refused = await app.admin.post('/v1/orgs/acme/collections', { parent })
  assert.is(refused.status, 409)
  assert.match(refused.body.error.message, /at most 20 levels/)
})

test('lists of spaces show the visible ones, page by page', async () => {
  const id = await make('Many')
  const made: string[] = []
  for (let i = 0; i < 5; i++)
    made.push(
      (await app.admin.post('/v1/orgs/acme/spaces', { title: `S${i}`, parent: id })).body.id,
    )

  updateSpace(app.ctx.store, made[1] as string, { default_level: null })
  updateSpace(app.ctx.store, made[3] as string, { default_level: null })
  const seen: string[] = []

  for (let page = ''; ; ) {
    const reply = await member.get(`/v1/collections/${id}/spaces?limit=2${page}`)
    seen.push(...ids(reply))
    if (!reply.body.next) break
    page = `&page=${reply.body.next.page}`
  }

  assert.equal(seen, [made[0], made[2], made[4]])
  assert.equal(ids(await app.admin.get(`/v1/collections/${id}/spaces`)), made)
  assert.is((await guest.get(`/v1/collections/${id}/spaces`)).status, 404)
  assert.is((await app.anonymous.get(`/v1/collections/${id}/spaces`)).status, 401)
})

test.run()
