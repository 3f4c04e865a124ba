import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { updateMember } from '../../../src/store/people/members.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { type Actor, startApp } from '../../support/app.ts'

const app = await startApp()
const { admin, ctx } = app
const at = '2026-01-01T00:00:00.000Z'
const links = '/v1/orgs/acme/link-invites'
const member = app.user('Max', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')
insertOrganization(ctx.store, { id: 'other', title: 'Other', created_at: at })
putMember(ctx.store, 'other', 'ada', 'admin', at)

test.after(() => app.stop())

const space: string = (await admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id
const collection: string = (await admin.post('/v1/orgs/acme/collections', { title: 'Shelf' })).body
  .id
const foreign: string = (await admin.post('/v1/orgs/other/spaces', { title: 'Theirs' })).body.id

const secrets: string[] = []
const make = async (body: unknown): Promise<string> => {
  const { id } = (await admin.post(links, body)).body
  secrets.push(id)
  return id
}
const join = (who: Actor, id: string) => who.post(`/v1/orgs/acme/invites/${id}`)
const roleOf = async (id: string) => (await admin.get(`/v1/orgs/acme/members/${id}`)).body.role
/** A user outside the organization, whose token survives their removal. */
const newcomer = (name: string) => {
  const who = app.user(name)
  putMember(ctx.store, 'other', who.id, 'read', at)
  return who
}

test('only admins can create links to the organization', async () => {
  const { status, body, headers } = await admin.post(links, { role: 'edit' })
  assert.is(status, 201)
  const { linkId, createdBy, createdAt, expiresAt, uses, usedBy, urls, ...rest } = body
  assert.equal(rest, { object: 'invite', id: body.id, role: 'edit', redundant: true })
  assert.equal([createdBy.id, uses, usedBy], ['ada', 0, []])
  assert.is(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 86_400_000)
  assert.is.not(linkId, body.id)
  const location = `${app.url}${links}/${linkId}`
  assert.equal(urls, { location, app: `${app.url}/join/${body.id}` })
  assert.match(headers.get('location') ?? '', new RegExp(`/link-invites/${linkId}$`))

  // The secret and the id both identify it, and only the first answer has the secret.
  for (const id of [body.id, linkId])
    assert.equal((await admin.get(`${links}/${id}`)).body, {
      ...body,
      id: linkId,
      urls: { location },
    })
  assert.is((await admin.post(links, { role: null })).body.role, null)

  for (const who of [member, guest]) {
    assert.is((await who.post(links, { role: 'admin' })).status, 403)
    assert.is((await who.get(links)).status, 403)
    assert.is((await who.get(`${links}/${body.id}`)).status, 404)
    assert.is((await who.patch(`${links}/${body.id}`, { role: 'admin' })).status, 404)
    assert.is((await who.delete(`${links}/${body.id}`)).status, 204)
  }

  assert.is((await stranger.post(links, { role: 'admin' })).status, 404)
  assert.is((await stranger.get(links)).status, 404)
  assert.is((await app.anonymous.get(`${links}/${body.id}`)).status, 401)
  assert.is((await admin.get(`${links}/${body.id}`)).status, 200)
  assert.is((await admin.get(`/v1/orgs/other/link-invites/${body.id}`)).status, 404)
})

test('new users get the role of the link; members keep theirs', async () => {
  const invite = await make({ role: 'edit' })
  const nina = newcomer('Nina')
  assert.is((await app.anonymous.post(`/v1/orgs/acme/invites/${invite}`)).status, 401)
  assert.is((await nina.post(`/v1/orgs/other/invites/${invite}`)).status, 404)
  assert.equal((await join(nina, invite)).body, {})
  assert.is(await roleOf('nina'), 'edit')
  assert.is((await join(nina, invite)).status, 200)
  const strong = await make({ role: 'admin' })
  const weak = await make({ role: null })

  for (const id of [strong, weak]) {
    assert.is((await join(member, id)).status, 200)
    assert.is((await join(admin, id)).status, 200)
  }

  assert.equal([await roleOf('max'), await roleOf('ada')], ['read', 'admin'])
  await join(newcomer('Nils'), weak)
  assert.is(await roleOf('nils'), null)
})

test('a link does not readmit removed users, and a deleted link admits nobody', async () => {
  const invite = await make({ role: 'read' })
  const olga = newcomer('Olga')
  await join(olga, invite)
  const unused = await make({ role: 'admin' })

  await admin.delete('/v1/orgs/acme/members/olga')
  assert.is((await join(olga, unused)).status, 404)
  const again = await join(olga, invite)

  assert.is(again.status, 404)
  assert.is((await join(newcomer('Olaf'), invite)).status, 200)
  assert.is((await admin.delete(`${links}/${invite}`)).status, 204)
  assert.is((await admin.delete(`${links}/${invite}`)).status, 204)
  const text = (reply: { text: string }, id: string) => reply.text.replaceAll(id, '')
  const deleted = await join(newcomer('Otto'), invite)

  assert.is(deleted.status, 404)
  const unknown = await join(newcomer('Omar'), 'nothingThatIsThere00')

  assert.is(text(deleted, invite), text(unknown, 'nothingThatIsThere00'))
  assert.is(text(again, invite), text(deleted, invite))
  assert.is((await admin.get(`${links}/${invite}`)).status, 404)
})

test('a disabled member cannot join with a link', async () => {
  const dora = newcomer('Dora')
  putMember(ctx.store, 'acme', 'dora', 'read', at)
  updateMember(ctx.store, 'acme', 'dora', { disabled: 1 })
  assert.is((await join(dora, await make({ role: 'admin' }))).status, 403)
  assert.is((await join(dora, await make({ level: 'edit', space }))).status, 403)
  assert.is((await dora.get('/v1/orgs/acme')).status, 404)
})

test('a link to a space makes guests who see only that space', async () => {
  await admin.patch(`/v1/spaces/${space}`, { defaultLevel: 'read' })
  const { status, body } = await admin.post(links, { level: 'edit', space })
  assert.is(status, 201)
  assert.is(body.space.id, space)
  assert.not('role' in body)
  const pia = newcomer('Pia')

  assert.is((await join(pia, body.id)).status, 200)
  assert.is(await roleOf('pia'), null)
  assert.ok((await pia.get(`/v1/spaces/${space}`)).body.permissions.edit)
  assert.equal(
    (await pia.get('/v1/orgs/acme/spaces')).body.items.map((item: { id: string }) => item.id),
    [space],
  )

  // A member with a lower level gets the level, and one with a higher level keeps it.
  await join(member, body.id)
  assert.ok((await member.get(`/v1/spaces/${space}`)).body.permissions.edit)
  await join(member, await make({ level: 'comment', space }))
  assert.ok((await member.get(`/v1/spaces/${space}`)).body.permissions.edit)
  assert.is(await roleOf('max'), 'read')

  // A removed grant does not come back with the same link.
  ctx.store.run(sqlRows(sql`delete from permission where subject_id = 'pia'`))
  assert.is((await join(pia, body.id)).status, 404)
  assert.is((await pia.get(`/v1/spaces/${space}`)).status, 404)
})

test('a link to a collection grants its content, and its admins can create links', async () => {
  const inside = (await admin.post('/v1/orgs/acme/spaces', { title: 'In it', parent: collection }))
    .body.id
  putPermission(ctx.store, {
    target_kind: 'collection',
    target_id: collection,
    subject_kind: 'user',
    subject_id: 'gus',
    role: 'admin',
    created_at: at,
  })
  const made = await guest.post(links, { level: 'review', collection })
  assert.is(made.status, 201)
  assert.is(made.body.collection.id, collection)
  assert.is((await guest.post(links, { level: 'read', space: inside })).status, 201)
  assert.is((await guest.post(links, { level: 'read', space })).status, 404)
  assert.is((await guest.post(links, { role: null })).status, 403)
  assert.is((await member.post(links, { level: 'read', space })).status, 403)
  assert.is((await guest.get(`${links}/${made.body.id}`)).status, 200)
  assert.is((await member.get(`${links}/${made.body.id}`)).status, 404)
  assert.is(
    (await guest.patch(`${links}/${made.body.id}`, { level: 'comment' })).body.level,
    'comment',
  )
  const quinn = newcomer('Quinn')

  // Only an admin of the organization brings in outsiders, unless the organization says otherwise.
  assert.is((await join(quinn, made.body.id)).status, 403)
  await admin.patch('/v1/orgs/acme', { outsidersByAdminsOnly: false })
  assert.is((await join(quinn, made.body.id)).status, 200)
  await admin.patch('/v1/orgs/acme', { outsidersByAdminsOnly: true })
  assert.ok((await quinn.get(`/v1/spaces/${inside}`)).body.permissions.comment)
  assert.not((await quinn.get(`/v1/spaces/${inside}`)).body.permissions.review)
  assert.is((await guest.delete(`${links}/${made.body.id}`)).status, 204)
  assert.is((await guest.get(`${links}/${made.body.id}`)).status, 404)

  // A link to a deleted item is dead.
  const gone = await make({ level: 'read', space: inside })

  await admin.delete(`/v1/spaces/${inside}`)
  assert.is((await join(newcomer('Quentin'), gone)).status, 404)
})

test('invalid bodies are refused with a reason', async () => {
  const refused: [body: unknown, status: number, message: RegExp][] = [
    [{}, 400, /takes "role", or "level"/],
    [{ role: 'read', level: 'read', space }, 400, /takes "role", or "level"/],
    [{ level: 'read' }, 400, /takes "role", or "level"/],
    [{ level: 'read', space, collection }, 400, /takes "role", or "level"/],
    [{ level: null, space }, 400, /"level"/],
    [{ role: 'owner' }, 400, /"role"/],
    [{ level: 'read', space: 'nope' }, 404, /no space "nope"/],
    [{ level: 'read', space: foreign }, 404, /no space/],
    [{ level: 'read', collection: 'nope' }, 404, /no collection "nope"/],
  ]

  for (const [body, status, message] of refused) {
    const reply = await admin.post(links, body)
    assert.is(reply.status, status, JSON.stringify(body))
    assert.match(reply.body.error.message, message)
  }

  const toAll = await make({ role: 'read' })
  const toOne = await make({ level: 'read', space })

  assert.is((await admin.patch(`${links}/${toAll}`, { level: 'edit' })).status, 400)
  assert.is((await admin.patch(`${links}/${toOne}`, { role: 'edit' })).status, 400)
  assert.is((await admin.patch(`${links}/${toAll}`, {})).status, 400)
  assert.is((await admin.patch(`${links}/${toAll}`, { role: null })).body.role, null)
})

test('when links are turned off they can be neither created nor used', async () => {
  const invite = await make({ role: 'read' })
  await admin.patch('/v1/orgs/acme', { inviteLinks: false })
  const refused = await admin.post(links, { role: 'read' })
  assert.is(refused.status, 403)
  assert.match(refused.body.error.message, /turned off.*inviteLinks/)
  const rosa = newcomer('Rosa')

  assert.is((await join(rosa, invite)).status, 403)
  assert.is((await join(rosa, 'nothingThatIsThere00')).status, 404)
  assert.is((await admin.get(`${links}/${invite}`)).status, 200)
  await admin.patch('/v1/orgs/acme', { inviteLinks: true })
  assert.is((await join(rosa, invite)).status, 200)
})

test('the list has all links, newest first, and events contain no secret', async () => {
  const { body } = await admin.get(`${links}?limit=3`)
  assert.is(body.items.length, 3)
  const rest = (await admin.get(`${links}?limit=100&page=${body.next.page}`)).body.items
  const all = [...body.items, ...rest]
  const counted =
    ctx.store.get(sqlRows<{ n: number }>(sql`select count(*) as n from link_invite`))?.n ?? 0

  assert.is(all.length, counted - 2, 'all but the two to a deleted space')
  assert.ok(all.some(item => item.space?.id === space && item.level && item.role === null))
  const told = ctx.store
    .all(sqlRows<object>(sql`select * from audit_event`))
    .map(row => JSON.stringify(row))

  assert.ok(told.some(text => text.includes('invite.created')))
  for (const id of secrets) assert.not(told.some(text => text.includes(id)))
  for (const id of secrets) assert.not(JSON.stringify(all).includes(id))

  for (const action of ['invite.updated', 'invite.deleted', 'member.joined', 'permission.given'])
    assert.ok(
      told.some(text => text.includes(action)),
      action,
    )
})

test.run()
