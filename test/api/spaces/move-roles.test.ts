import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { putMember } from '../../../src/store/people/organizations.ts'
import { insertTeam, putTeamMember } from '../../../src/store/people/teams.ts'
import { type Actor, startApp } from '../../support/app.ts'

const app = await startApp()
const { admin, ctx } = app
const alice = app.user('Alice', 'create')
const rita = app.user('Rita', 'read')
const at = '2026-01-01T00:00:00.000Z'

test.after(() => app.stop())

const newSpace = async (parent?: string): Promise<string> =>
  (
    await admin.post('/v1/orgs/acme/spaces', {
      title: 'Docs',
      empty: true,
      ...(parent && { parent }),
    })
  ).body.id
const newCollection = async (parent?: string): Promise<string> =>
  (await admin.post('/v1/orgs/acme/collections', { title: 'Shelf', ...(parent && { parent }) }))
    .body.id
const give = (path: string, user: string, role: string | null, who: Actor = admin) =>
  who.post(`${path}/permissions`, { role, users: [user] })

/** A collection on which alice is an admin. */
const ofAlice = async () => {
  const id = await newCollection()
  await give(`/v1/collections/${id}`, 'alice', 'admin')
  return id
}

test('moving an item below an own collection makes nobody its admin', async () => {
  const shelf = await ofAlice()
  const space = await newSpace()
  const collection = await newCollection()
  const inside = await newSpace(collection)

  assert.is((await alice.post(`/v1/spaces/${space}/move`, { parent: shelf })).status, 403)
  assert.is((await alice.post(`/v1/collections/${collection}/move`, { parent: shelf })).status, 403)
  assert.is((await alice.patch(`/v1/spaces/${space}`, { title: 'Mine' })).status, 403)
  assert.is((await alice.delete(`/v1/spaces/${inside}`)).status, 403)

  // If no role changes, "create" is enough.
  const plain = await newCollection()

  assert.is((await alice.post(`/v1/spaces/${space}/move`, { parent: plain })).status, 200)

  // A user who administers the moved item may move it.
  assert.is((await admin.post(`/v1/spaces/${space}/move`, { parent: shelf })).status, 200)
  assert.is((await alice.post(`/v1/spaces/${space}/move`, { parent: null })).status, 200)
})

test('a move by a non-admin does not widen read access', async () => {
  const closed = await newCollection()
  await admin.patch(`/v1/collections/${closed}`, { defaultLevel: null })
  const space = await newSpace(closed)
  const below = await newCollection(closed)
  assert.is((await rita.get(`/v1/spaces/${space}`)).status, 404)
  assert.is((await alice.post(`/v1/spaces/${space}/move`, { parent: null })).status, 403)
  assert.is((await alice.post(`/v1/collections/${below}/move`, { parent: null })).status, 403)
  assert.is((await rita.get(`/v1/spaces/${space}`)).status, 404)
})

test('an admin of a collection can move it only if they administer its content', async () => {
  const shelf = await ofAlice()
  const target = await newCollection()
  await admin.patch(`/v1/collections/${target}`, { defaultLevel: 'admin' })
  const space = await newSpace(shelf)
  await give(`/v1/spaces/${space}`, 'alice', 'read')
  assert.is((await alice.post(`/v1/collections/${shelf}/move`, { parent: target })).status, 403)
  await give(`/v1/spaces/${space}`, 'alice', 'admin')
  assert.is((await alice.post(`/v1/collections/${shelf}/move`, { parent: target })).status, 200)
})

test('a grant or level on a collection does not reach items its creator does not administer', async () => {
  const shelf = await newCollection()
  await admin.patch(`/v1/collections/${shelf}`, { defaultLevel: 'admin' })
  const space = await newSpace(shelf)
  await admin.patch(`/v1/spaces/${space}`, { defaultLevel: 'read' })
  const max = app.user('Max', 'read')
  const path = `/v1/collections/${shelf}`

  assert.is((await give(path, 'max', 'admin', max)).status, 403)
  assert.is((await give(path, 'rita', 'admin', max)).status, 403)
  assert.is((await max.patch(`/v1/spaces/${space}`, { title: 'Mine' })).status, 403)
  assert.is((await give(path, 'rita', 'read', max)).status, 204)
})

test('removing an own weak grant on a collection gains nothing below it', async () => {
  const shelf = await newCollection()
  const space = await newSpace(shelf)
  await admin.patch(`/v1/spaces/${space}`, { defaultLevel: 'admin' })
  await give(`/v1/collections/${shelf}`, 'rita', 'read')
  const path = `/v1/collections/${shelf}/permissions/users/rita`
  assert.is((await rita.delete(path)).status, 403)
  assert.is((await rita.patch(`/v1/spaces/${space}`, { title: 'Mine' })).status, 403)
})

test('a team owner who leaves the team does not escape its restricting grants', async () => {
  const owner = app.user('Owen', 'edit')
  insertTeam(ctx.store, { id: 'held', organization_id: 'acme', title: 'Held', created_at: at })
  putTeamMember(ctx.store, 'held', owner.id, 'owner')
  const space = await newSpace()
  await admin.post(`/v1/spaces/${space}/permissions`, { role: null, teams: ['held'] })
  assert.is((await owner.get(`/v1/spaces/${space}`)).status, 404)
  assert.is((await owner.delete(`/v1/orgs/acme/teams/held/members/${owner.id}`)).status, 403)
  assert.is((await owner.get(`/v1/spaces/${space}`)).status, 404)
})

test('deleting a collection does not widen access to its deleted spaces', async () => {
  const shelf = await ofAlice()
  const space = await newSpace(shelf)
  insertTeam(ctx.store, { id: 'strong', organization_id: 'acme', title: 'Strong', created_at: at })
  putMember(ctx.store, 'acme', rita.id, 'read', at)
  putTeamMember(ctx.store, 'strong', 'rita')
  await admin.post(`/v1/collections/${shelf}/permissions`, { role: 'admin', teams: ['strong'] })
  await give(`/v1/spaces/${space}`, 'rita', 'read')
  await give(`/v1/spaces/${space}`, 'alice', 'read')
  await admin.delete(`/v1/spaces/${space}`)
  assert.is((await alice.delete(`/v1/collections/${shelf}`)).status, 403)
})

test('a member’s own role applies wherever content inherits', async () => {
  const space = await newSpace()
  const ed = app.user('Ed', 'edit')
  assert.is((await ed.post(`/v1/spaces/${space}/change-requests`, { subject: 'x' })).status, 201)
  await admin.patch('/v1/orgs/acme', { defaultRole: 'admin' })
  assert.is((await rita.post(`/v1/spaces/${space}/change-requests`, { subject: 'x' })).status, 403)
  await admin.patch(`/v1/spaces/${space}`, { defaultLevel: 'read' })
  assert.is((await ed.post(`/v1/spaces/${space}/change-requests`, { subject: 'x' })).status, 403)
})

test.run()
