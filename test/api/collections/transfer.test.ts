import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import type { Role } from '../../../src/store/tables/roles.ts'
import { startApp } from '../../support/app.ts'
import { listPermissions } from '../../support/permissions.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const owner = app.user('Olga', 'read')
const stranger = app.user('Sid')
const at = '2026-01-01T00:00:00.000Z'

insertOrganization(app.ctx.store, {
  id: 'other',
  title: 'Other',
  created_at: at,
  default_role: 'comment',
})
for (const id of ['cleo', 'olga']) putMember(app.ctx.store, 'other', id, 'create', at)

test.after(() => app.stop())

const give = (kind: 'space' | 'collection', id: string, userId: string, role: Role) =>
  putPermission(app.ctx.store, {
    target_kind: kind,
    target_id: id,
    subject_kind: 'user',
    subject_id: userId,
    role,
    created_at: at,
  })

const make = async (path: string, body: unknown): Promise<string> =>
  (await app.admin.post(`/v1/orgs/acme/${path}`, body)).body.id
const around = await make('collections', { title: 'Around' })
const id = await make('collections', { title: 'Outer', parent: around })
const inner = await make('collections', { title: 'Inner', parent: id })
const space = await make('spaces', { parent: inner, empty: true })
const send = (organization: unknown, who = owner) =>
  who.post(`/v1/collections/${id}/transfer`, { organization })

give('collection', id, 'olga', 'admin')
give('collection', inner, 'ada', 'edit')

test('a transfer is refused without the required roles', async () => {
  assert.is((await send('other', creator)).status, 403)
  assert.is((await send('other', stranger)).status, 404)
  assert.is((await send('other', app.anonymous)).status, 401)
  assert.is((await send('other', app.admin)).status, 404)
  assert.is((await send('unknown')).status, 404)
  assert.is((await send(null)).status, 400)
  give('collection', id, 'cleo', 'admin')
  assert.is((await send('acme', creator)).status, 409)
  give('space', space, 'cleo', 'edit')
  const refused = await send('other', creator)

  assert.is(refused.status, 412)
  assert.match(refused.body.error.message, /"admin" on every space/)
})

test('a collection is transferred with its content', async () => {
  const sent = await send('other')
  assert.is(sent.status, 200)
  assert.equal(
    [sent.body.organization, sent.body.parent, sent.body.permissions.admin],
    ['other', undefined, true],
  )
  assert.equal((await owner.get(`/v1/collections/${inner}`)).body.parent, id)
  assert.is((await owner.get(`/v1/spaces/${space}`)).body.organization, 'other')
  assert.is((await app.admin.get(`/v1/spaces/${space}`)).status, 404)
  assert.equal(listPermissions(app.ctx.store, 'collection', inner), [])
  assert.equal(
    (await owner.get('/v1/orgs/other/spaces')).body.items.map((item: { id: string }) => item.id),
    [space],
  )
  assert.is((await app.admin.delete(`/v1/collections/${around}`)).status, 204)
})

test.run()
