import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  insertOrganization,
  putMember,
  updateOrganization,
} from '../../../src/store/people/organizations.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { withoutIds } from '../../support/http/without-ids.ts'

const app = await startApp()
const { admin, ctx } = app
const at = '2026-01-01T00:00:00.000Z'
const links = '/v1/orgs/acme/link-invites'
insertOrganization(ctx.store, { id: 'other', title: 'Other', created_at: at })

test.after(() => app.stop())

const newSpace = async (): Promise<string> =>
  (await admin.post('/v1/orgs/acme/spaces', { title: 'Docs', empty: true })).body.id
const join = (who: Actor, id: string) => who.post(`/v1/orgs/acme/invites/${id}`)
const give = (target: string, user: string, role: string | null) =>
  admin.post(`${target}/permissions`, { role, users: [user] })
/** A member of another organization, whose token survives their removal here. */
const outsider = (name: string) => {
  const who = app.user(name)
  putMember(ctx.store, 'other', who.id, 'read', at)
  return who
}

test('an invite is void when its creator could no longer create it', async () => {
  const rita = app.user('Rita', 'read')
  const space = `/v1/spaces/${await newSpace()}`
  await give(space, 'rita', 'admin')
  const make = async () =>
    (await rita.post(links, { level: 'admin', space: space.split('/').at(-1) })).body.id as string
  const [own, forOthers] = [await make(), await make()]

  assert.is((await admin.delete(`${space}/permissions/users/rita`)).status, 204)
  assert.is((await join(rita, own)).status, 404)
  assert.is((await join(app.user('Rolf', 'read'), forOthers)).status, 404)
  assert.is((await rita.patch(space, { title: 'Mine' })).status, 403)

  // Restoring the creator’s right does not restore the invite.
  await give(space, 'rita', 'admin')
  await give(space, 'rita', 'read')
  assert.is((await join(rita, own)).status, 404)
})

test('an invite to the organization is void without the membership of its creator', async () => {
  const boss = outsider('Boss')
  putMember(ctx.store, 'acme', 'boss', 'admin', at)
  const { id } = (await boss.post(links, { role: 'admin' })).body
  assert.is((await admin.delete('/v1/orgs/acme/members/boss')).status, 204)
  const eve = outsider('Eve')
  assert.is((await join(eve, id)).status, 404)
  assert.is((await eve.get('/v1/orgs/acme')).status, 404)
})

test('an invite does not lift a grant of null', async () => {
  const nils = app.user('Nils', 'read')
  const space = await newSpace()
  await give(`/v1/spaces/${space}`, 'nils', null)
  assert.is((await nils.get(`/v1/spaces/${space}`)).status, 404)
  const { id } = (await admin.post(links, { level: 'edit', space })).body
  assert.is((await join(nils, id)).status, 404)
  assert.is((await nils.get(`/v1/spaces/${space}`)).status, 404)
})

test('an invite created before a demotion does not undo it', async () => {
  const dora = app.user('Dora', 'edit')
  const space = await newSpace()
  const { id } = (await admin.post(links, { level: 'review', space })).body
  await admin.patch('/v1/orgs/acme/members/dora', { role: 'read' })
  assert.is((await join(dora, id)).status, 404)
  const { id: later } = (await admin.post(links, { level: 'review', space })).body
  assert.is((await join(dora, later)).status, 200)
})

test('an invite expires and is used up', async () => {
  const { body } = await admin.post(links, { role: 'read', maxUses: 1 })
  assert.is((await join(outsider('Uwe'), body.id)).status, 200)
  assert.is((await join(outsider('Udo'), body.id)).status, 404)
  const shown = (await admin.get(`${links}/${body.linkId}`)).body

  assert.equal([shown.uses, shown.maxUses, shown.usedBy[0].user.id], [1, 1, 'uwe'])
  assert.is((await admin.post(links, { role: 'read', maxUses: 0 })).status, 400)
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

  for (const [days, said] of [
    [-1, /in the future/],
    [91, /at most 90 days/],
  ] as const) {
    const refused = await admin.post(links, { role: 'read', expiresAt: inDays(days) })
    assert.is(refused.status, 400)
    assert.match(refused.body.error.message, said)
  }

  const { id } = (await admin.post(links, { role: 'read', expiresAt: inDays(30) })).body

  ctx.store.run(sqlRows(sql`update link_invite set expires_at = ${at}`))
  assert.is((await join(outsider('Ute'), id)).status, 404)
})

test('the secret of an invite is neither stored nor logged', async () => {
  const { body } = await admin.post(links, { role: 'read' })
  const rows = ctx.store.all(sqlRows<object>(sql`select * from link_invite`))
  assert.not(JSON.stringify(rows).includes(body.id))
  assert.ok(JSON.stringify(rows).includes(body.linkId))
  assert.is((await join(outsider('Ida'), body.linkId)).status, 404, 'its public id lets nobody in')
  const keyed = await admin.post(
    links,
    { role: 'read' },
    { 'idempotency-key': 'a-key-of-an-invite' },
  )

  assert.is(keyed.status, 400)
})

test('removed and former members cannot rejoin by their domain', async () => {
  updateOrganization(ctx.store, 'acme', { email_domains: ['example.org'] })
  const mal = outsider('Mal')
  assert.is((await mal.post('/v1/orgs/acme/join')).status, 204)
  assert.is((await admin.delete('/v1/orgs/acme/members/mal')).status, 204)
  assert.is((await mal.post('/v1/orgs/acme/join')).status, 403)
  assert.is((await mal.get('/v1/orgs/acme')).status, 404)
  const gus = outsider('Gus')

  putMember(ctx.store, 'acme', 'gus', null, at)
  assert.is((await gus.delete('/v1/orgs/acme/members/gus')).status, 204)
  assert.is((await gus.post('/v1/orgs/acme/join')).status, 403)
  updateOrganization(ctx.store, 'acme', { email_domains: [] })

  // An admin adds them again.
  const [id] = (
    await admin.post('/v1/orgs/acme/invites', { emails: ['gus@example.org'], role: 'read' })
  ).body.users

  assert.is((await gus.post(`/v1/user/invitations/${id}`)).status, 204)
  assert.is((await admin.get('/v1/orgs/acme/members/gus')).body.role, 'read')
})

test('an invitation can be declined, withdrawn, or voided by the demotion of its creator', async () => {
  const ivo = outsider('Ivo')
  const invite = async (who: Actor): Promise<string> =>
    (await who.post('/v1/orgs/acme/invites', { emails: ['ivo@example.org'], role: 'edit' })).body
      .users[0]
  const accept = (id: string) => ivo.post(`/v1/user/invitations/${id}`)
  const declined = await invite(admin)

  assert.is((await ivo.delete(`/v1/user/invitations/${declined}`)).status, 204)
  assert.is((await accept(declined)).status, 404)
  const withdrawn = await invite(admin)
  const listed = (await admin.get('/v1/orgs/acme/invitations')).body.items

  assert.equal([listed.length, listed[0].id, listed[0].email], [1, withdrawn, 'ivo@example.org'])
  assert.not(withoutIds(JSON.stringify(listed)).includes('Ivo'))
  assert.is((await ivo.get('/v1/orgs/acme/invitations')).status, 404)
  assert.is((await admin.delete(`/v1/orgs/acme/invitations/${withdrawn}`)).status, 204)
  assert.is((await accept(withdrawn)).status, 404)
  const chief = app.user('Chief', 'admin')
  const powerless = await invite(chief)

  await admin.patch('/v1/orgs/acme/members/chief', { role: 'read' })
  assert.is((await accept(powerless)).status, 404)
  const late = await invite(admin)

  ctx.store.run(sqlRows(sql`update invitation set expires_at = ${at}`))
  assert.is((await accept(late)).status, 404)
  assert.equal((await ivo.get('/v1/user/invitations')).body.items, [])
})

test('admins of a space cannot bring in outsiders', async () => {
  const space = `/v1/spaces/${await newSpace()}`
  const guest = app.user('Gina', null)
  await give(space, 'gina', 'admin')
  outsider('Olga')
  app.user('Nobodys')
  const said = async (id: string) => {
    const reply = await guest.post(`${space}/permissions`, { role: 'read', users: [id] })
    return [reply.status, reply.text.replace(id, 'X')]
  }

  // Known and unknown accounts get the same answer.
  assert.is((await said('olga'))[0], 404)
  assert.equal(await said('olga'), await said('nowhere'))
  assert.equal(await said('nobodys'), await said('nowhere'))

  // An admin of the organization adds accounts without one, and invites the others.
  assert.is((await give(space, 'olga', 'read')).status, 404)
  assert.is((await give(space, 'nobodys', 'read')).status, 204)
  await admin.patch('/v1/orgs/acme', { outsidersByAdminsOnly: false })
  app.user('Someone')
  assert.is((await said('someone'))[0], 204)
  assert.is((await said('olga'))[0], 404)
  await admin.patch('/v1/orgs/acme', { outsidersByAdminsOnly: true })
})

test('guests see no e-mail addresses but their own', async () => {
  const space = `/v1/spaces/${await newSpace()}`
  const guest = app.user('Gerd', null)
  await give(space, 'gerd', 'admin')
  assert.is((await guest.get('/v1/users/ada')).body.email, undefined)
  assert.is((await guest.get('/v1/users/gerd')).body.email, 'gerd@example.org')
  assert.is((await guest.get('/v1/user')).body.email, 'gerd@example.org')
  await admin.post(`${space}/comments`, { body: { markdown: 'Hello' } })
  await admin.post(`${space}/change-requests`, { subject: 'x' })

  for (const path of [
    'permissions/aggregate',
    'permissions/users',
    'comments',
    'change-requests',
  ]) {
    const reply = await guest.get(`${space}/${path}`)
    assert.is(reply.status, 200, path)
    assert.not.match(reply.text, /ada@example/, path)
  }

  const member = app.user('Meg', 'read')

  assert.is((await member.get('/v1/users/ada')).body.email, 'ada@example.org')
  assert.match((await member.get(`${space}/change-requests`)).text, /ada@example/)
})

test.run()
