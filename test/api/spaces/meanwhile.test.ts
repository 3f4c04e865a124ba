import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import { Fault } from '../../../src/errors.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { findSpace } from '../../../src/store/spaces/spaces.ts'
import { sqlRows } from '../../../src/store/store.ts'
import type { Role } from '../../../src/store/tables/roles.ts'
import { type Reply, startApp } from '../../support/app.ts'
import { sendInLine } from '../../support/in-line.ts'

const app = await startApp()
const { admin, ctx } = app
const at = '2026-01-01T00:00:00.000Z'
insertOrganization(ctx.store, { id: 'beta', title: 'Beta', created_at: at })
putMember(ctx.store, 'beta', admin.id, 'admin', at)
const { body: collection } = await admin.post('/v1/orgs/acme/collections', { title: 'Col' })

test.after(() => app.stop())

const make = async (): Promise<string> =>
  (await admin.post('/v1/orgs/acme/spaces', { title: 'Docs', empty: true })).body.id
const row = (id: string) => findSpace(ctx.store, id)!
const be = (who: { id: string }, role: Role | null) =>
  putMember(ctx.store, 'acme', who.id, role, at)
const copies = () =>
  ctx.store.all(sqlRows<{ id: string }>(sql`select id from space where title like 'Copy of %'`))
    .length

/**
 * Returns the outcome of a request when something happens after its guard, while it waits for Git.
 */
async function meanwhile(
  id: string,
  ask: () => Promise<Reply>,
  happens: () => unknown,
): Promise<Reply> {
  let go = () => {}
  const held = ctx.locks.run(
    id,
    () =>
      new Promise<void>(resolve => {
        go = resolve
      }),
  )

  // Simulates a push, which is recorded under the lock.
  const [ref] = ctx.store.all(
    sqlRows<{ name: string; oid: string }>(sql`delete from ref where space_id = ${id} returning *`),
  )
  ctx.store.run(
    sqlRows(sql`update change_request set revision = ${'0'.repeat(40)} where space_id = ${id}`),
  )
  const { reply } = await sendInLine(ctx.locks, id, ask)

  try {
    await happens()
  } finally {
    go()
    await held
  }

  assert.ok(ref)

  return reply
}

test('a former creator cannot move a space', async () => {
  const cleo = app.user('Cleo', 'create')
  const id = await make()
  const reply = await meanwhile(
    id,
    () => cleo.post(`/v1/spaces/${id}/move`, { parent: collection.id }),
    () => be(cleo, 'read'),
  )

  assert.is(reply.status, 403)
  assert.is(row(id).collection_id, null)
})

test('a transferred space does not get into a collection of the old organization', async () => {
  const id = await make()
  const reply = await meanwhile(
    id,
    () => admin.post(`/v1/spaces/${id}/move`, { parent: collection.id }),
    () => ctx.store.run(sqlRows(sql`update space set organization_id = 'beta' where id = ${id}`)),
  )
  assert.is(reply.status, 404, reply.text)
  assert.equal([row(id).organization_id, row(id).collection_id], ['beta', null])
})

test('a former admin can neither transfer nor restore a space', async () => {
  const abe = app.user('Abe', 'admin')
  putMember(ctx.store, 'beta', abe.id, 'create', at)
  const id = await make()
  const given = await meanwhile(
    id,
    () => abe.post(`/v1/spaces/${id}/transfer`, { organization: 'beta' }),
    () => be(abe, 'read'),
  )

  assert.is(given.status, 403)
  assert.is(row(id).organization_id, 'acme')
  be(abe, 'admin')
  await admin.delete(`/v1/spaces/${id}`)
  const restored = await meanwhile(
    id,
    () => abe.post(`/v1/spaces/${id}/restore`),
    () => be(abe, 'read'),
  )

  assert.is(restored.status, 404)
  assert.ok(row(id).deleted_at)
})

test('a removed user gets no copy, nor does a user without the role create', async () => {
  const cora = app.user('Cora', 'create')
  putMember(ctx.store, 'beta', cora.id, 'read', at)
  const id = await make()
  const removed = await meanwhile(
    id,
    () => cora.post(`/v1/spaces/${id}/duplicate`),
    () => admin.delete(`/v1/orgs/acme/members/${cora.id}`),
  )

  assert.is(removed.status, 404)
  be(cora, 'create')
  const gone = await meanwhile(
    id,
    () => cora.post(`/v1/spaces/${id}/duplicate`),
    () => ctx.store.run(sqlRows(sql`update space set organization_id = 'beta' where id = ${id}`)),
  )

  assert.is(gone.status, 403)
  assert.is(copies(), 0)
})

test('a space is not created for a user who is removed meanwhile', async () => {
  const cid = app.user('Cid', 'create')
  const row = { organization_id: 'acme', title: 'Late' }
  const making = createSpace(ctx, row, findUser(ctx.store, cid.id)!)
  be(cid, 'read')
  let told: unknown
  await making.catch(error => (told = error))
  assert.instance(told, Fault)
  assert.equal(ctx.store.all(sqlRows(sql`select id from space where title = 'Late'`)), [])
})

test('a user outside the new organization cannot be requested as a reviewer', async () => {
  const rita = app.user('Rita', 'review')
  const id = await make()
  await admin.patch(`/v1/spaces/${id}/permissions/users/rita`, { role: 'review' })
  const { body } = await admin.post(`/v1/spaces/${id}/change-requests`, { subject: 'Better' })
  const asked = `/v1/spaces/${id}/change-requests/${body.id}/requested-reviewers`
  const reply = await meanwhile(
    id,
    () => admin.post(asked, { users: [rita.id] }),
    () => ctx.store.run(sqlRows(sql`update space set organization_id = 'beta' where id = ${id}`)),
  )

  assert.is(reply.status, 400, reply.text)
  assert.equal((await admin.get(asked)).body.items, [])
})

test.run()
