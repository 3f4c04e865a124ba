import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { insertTeam, putTeamMember } from '../../../src/store/people/teams.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { admin, ctx } = app
const at = '2026-01-01T00:00:00.000Z'
const list = '/v1/orgs/acme/members'
const count = (table: string, condition: string) =>
  ctx.store.get(
    sqlRows<{ n: number }>(sql.raw(`select count(*) as n from ${table} where ${condition}`)),
  )?.n

test.after(() => app.stop())

insertOrganization(ctx.store, { id: 'other', title: 'Other', created_at: at })
const space: string = (await admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id
const collection: string = (await admin.post('/v1/orgs/acme/collections', { title: 'All' })).body.id
insertTeam(ctx.store, { id: 'red', organization_id: 'acme', title: 'Red', created_at: at })
insertTeam(ctx.store, { id: 'blue', organization_id: 'other', title: 'Blue', created_at: at })

/** Gives a user everything that a member can have here. */
function settle(id: string): void {
  for (const [kind, target] of [
    ['space', space],
    ['collection', collection],
    ['space', 'elsewhere'],
  ] as const)
    putPermission(ctx.store, {
      target_kind: kind,
      target_id: target,
      subject_kind: 'user',
      subject_id: id,
      role: 'edit',
      created_at: at,
    })
  for (const team of ['red', 'blue']) putTeamMember(ctx.store, team, id, 'owner')
}

test('a member leaves with their access; their content stays', async () => {
  const leaver = app.user('Lea', 'edit')
  settle('lea')
  const path = `/v1/spaces/${space}/change-requests`
  const { id } = (await leaver.post(path, { subject: 'Mine' })).body
  const edited = await leaver.post(`${path}/${id}/content`, {
    changes: [{ operation: 'insert_page', title: 'Hers', document: { markdown: 'Hers.\n' } }],
  })

  assert.is(edited.status, 200)
  const other = (await admin.post(path, { subject: 'Closed' })).body.id

  for (const [request, status] of [
    [id, 'open'],
    [other, 'archived'],
  ]) {
    ctx.store.run(sqlRows(sql`update change_request set status = ${status} where id = ${request}`))
    ctx.store.run(
      sqlRows(sql`insert into requested_reviewer (space_id, change_request_id, user_id, requested_by, revision, created_at)
        values (${space}, ${request}, 'lea', 'ada', 'abc', ${at})`),
    )
  }

  assert.is((await admin.delete(`${list}/lea`)).status, 204)
  assert.is(count('member', "user_id = 'lea'"), 0)
  assert.is(count('team_member', "user_id = 'lea' and team_id = 'red'"), 0)
  assert.is(count('team_member', "user_id = 'lea' and team_id = 'blue'"), 1)
  assert.is(count('permission', "subject_id = 'lea'"), 1)
  assert.is(count('requested_reviewer', `user_id = 'lea' and change_request_id = '${id}'`), 0)
  assert.is(count('requested_reviewer', `user_id = 'lea' and change_request_id = '${other}'`), 1)
  assert.is((await leaver.get('/v1/user')).status, 401)
  const shown = (await admin.get(`${path}/${id}`)).body

  assert.is(shown.createdBy.displayName, 'Lea')
  assert.is((await admin.get(`${path}/${id}/contributors`)).body.items[0].user.displayName, 'Lea')
  assert.is((await admin.delete(`${list}/lea`)).status, 204)
  assert.is((await admin.get(`${list}/lea`)).status, 404)
  const told = ctx.store.all(
    sqlRows<{ details: unknown; target_id: string }>(
      sql`select details, target_id from audit_event where action = 'member.removed'`,
    ),
  )

  assert.equal(told, [{ target_id: 'lea', details: { role: 'edit', tokensRevoked: 1 } }])
})

test('a member of another organization keeps their tokens and loses access here', async () => {
  const both = app.user('Bea', 'admin')
  putMember(ctx.store, 'other', 'bea', 'read', at)
  settle('bea')
  assert.is((await admin.delete(`${list}/bea`)).status, 204)
  assert.is((await both.get('/v1/user')).status, 200)
  assert.is((await both.get('/v1/orgs/other')).status, 200)

  for (const path of [
    '/v1/orgs/acme',
    list,
    `/v1/spaces/${space}`,
    `/v1/collections/${collection}`,
  ])
    assert.is((await both.get(path)).status, 404, path)

  assert.is((await both.delete(`${list}/bea`)).status, 204)
})

test('every member can leave, and only admins can remove others', async () => {
  const guest = app.user('Gus', null)
  const member = app.user('Max', 'create')
  const stranger = app.user('Sid')
  for (const actor of [guest, member]) assert.is((await actor.delete(`${list}/ada`)).status, 403)
  assert.is((await member.delete(`${list}/nobody`)).status, 403)
  assert.is((await stranger.delete(`${list}/max`)).status, 204)
  assert.is((await app.anonymous.delete(`${list}/max`)).status, 401)
  assert.is((await admin.get(`${list}/max`)).status, 200)
  assert.is((await guest.delete(`${list}/gus`)).status, 204)
  assert.is((await guest.get('/v1/user')).status, 401)
  assert.is((await admin.delete(`${list}/ada`)).status, 409)
  const second = app.user('Ben', 'admin')

  // Two admins leave at the same time: one of them stays.
  const left = await Promise.all([admin.delete(`${list}/ada`), second.delete(`${list}/ben`)])

  assert.equal(left.map(reply => reply.status).sort(), [204, 409])
})

test.run()
