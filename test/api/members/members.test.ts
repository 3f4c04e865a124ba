import { createRemoteJWKSet, jwtVerify } from 'jose'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { deleteMember, listMembers, updateMember } from '../../../src/store/people/members.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { insertTeam, putTeamMember } from '../../../src/store/people/teams.ts'
import { insertUser } from '../../../src/store/people/users.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { admin, ctx } = app
const at = '2026-01-01T00:00:00.000Z'
const member = app.user('Max', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')
const disabled = app.user('Dora', 'admin')
updateMember(ctx.store, 'acme', 'dora', { disabled: 1 })
const list = '/v1/orgs/acme/members'

test.after(() => app.stop())

const ids = (reply: { body: { items: { id: string }[] } }) => reply.body.items.map(item => item.id)
type Told = { target_id: string; user_id: string; token_id: string; details: object }
const events = (action: string) =>
  ctx.store.all(sqlRows<Told>(sql`select * from audit_event where action = ${action} order by seq`))

test('members can list members, guests only themselves, strangers nothing', async () => {
  assert.is((await member.get(list)).status, 200)
  assert.is((await guest.get(list)).status, 403)
  assert.is((await stranger.get(list)).status, 404)
  assert.is((await app.anonymous.get(list)).status, 401)
  assert.is((await guest.get(`${list}/gus`)).body.role, null)
  assert.is((await guest.get(`${list}/max`)).status, 404)
  assert.is((await member.get(`${list}/sid`)).status, 404)
  assert.is((await stranger.get(`${list}/max`)).status, 404)
  const { body } = await member.get(`${list}/max`)

  assert.equal(body, {
    object: 'member',
    id: 'max',
    role: 'read',
    user: (await member.get('/v1/user')).body,
    disabled: false,
    joinedAt: at,
    sso: false,
    spaces: 0,
    sites: 0,
    teams: 0,
  })
})

test('a disabled member has no access but is listed', async () => {
  const space = (await admin.post('/v1/orgs/acme/spaces', { title: 'Seen by members' })).body.id
  assert.is((await member.get(`/v1/spaces/${space}`)).status, 200)

  for (const path of [
    '/v1/orgs/acme',
    list,
    `/v1/spaces/${space}`,
    '/v1/orgs/acme/spaces',
    '/v1/users/max',
  ])
    assert.is((await disabled.get(path)).status, 404, path)

  assert.equal((await disabled.get('/v1/orgs')).body.items, [])
  assert.is((await disabled.post('/v1/orgs/acme/join')).status, 403)
  assert.is((await disabled.post('/v1/orgs/acme/ping')).status, 404)
  assert.is((await disabled.patch(`${list}/max`, { role: 'admin' })).status, 404)
  assert.is((await disabled.delete(`${list}/max`)).status, 204)
  assert.is((await member.get(`${list}/max`)).status, 200)
  assert.ok((await admin.get(`${list}/dora`)).body.disabled)
})

test('the list is sorted, filtered, searched and paged', async () => {
  insertOrganization(ctx.store, { id: 'many', title: 'Many', created_at: at })
  putMember(ctx.store, 'many', 'ada', 'admin', '2026-01-01T00:00:00.000Z')
  const names = ['Émile', 'Bo_b', 'Zoë', 'Carl%', 'Ann']

  for (const [index, name] of names.entries()) {
    const joined = `2026-01-0${2 + (index >> 1)}T00:00:00.000Z`
    const email = `${name.toLowerCase()}@example.org`
    insertUser(ctx.store, { id: `u${index}`, display_name: name, email, created_at: at })
    putMember(ctx.store, 'many', `u${index}`, index % 2 ? null : 'edit', joined)
  }

  updateMember(ctx.store, 'many', 'u2', { last_seen_at: '2026-02-01T00:00:00.000Z' })
  updateMember(ctx.store, 'many', 'u4', { last_seen_at: '2026-02-02T00:00:00.000Z' })
  const get = async (query: string) => ids(await admin.get(`/v1/orgs/many/members?${query}`))

  assert.equal(await get(''), ['u4', 'u3', 'u2', 'u1', 'u0', 'ada'])
  assert.equal(await get('order=asc'), ['ada', 'u0', 'u1', 'u2', 'u3', 'u4'])
  assert.equal(await get('sort=lastSeenAt'), ['u4', 'u2'])
  assert.equal(await get('sort=lastSeenAt&order=asc'), ['u2', 'u4'])
  assert.equal(await get('role=guest'), ['u3', 'u1'])
  assert.equal(await get('role=admin'), ['ada'])
  assert.equal(await get('search=%C3%89MILE'), ['u0'])
  assert.equal(await get('search=ZO%C3%8B%40EXAMPLE'), ['u2'])
  assert.equal(await get('search='), await get(''), 'an empty search field')
  assert.equal(await get('search=%25'), ['u3'])
  assert.equal(await get('search=_'), ['u1'])

  for (const query of [
    '',
    'order=asc&',
    'search=example&',
    'role=edit&',
    'sort=lastSeenAt&',
    'sort=name&',
    'sort=name&order=asc&search=e&',
  ]) {
    const all = await get(query)
    const paged: string[] = []
    for (let page = ''; ; ) {
      const reply = await admin.get(`/v1/orgs/many/members?${query}limit=2${page}`)
      paged.push(...ids(reply))
      if (!reply.body.next) break
      page = `&page=${reply.body.next.page}`
    }

    assert.equal(paged, all, query)
  }

  const next = (await admin.get('/v1/orgs/many/members?limit=2')).body.next.page

  assert.is((await admin.get(`/v1/orgs/many/members?order=asc&page=${next}`)).status, 400)
  for (const query of ['role=owner', 'sort=title', 'order=up'])
    assert.is((await admin.get(`${list}?${query}`)).status, 400, query)
})

test('a search does not find an e-mail address that holds in another organization only', async () => {
  insertOrganization(ctx.store, { id: 'idp', title: 'With single sign-on', created_at: at })
  const email = 'renée.dupont@example.org'
  insertUser(ctx.store, { id: 'rd', display_name: 'R', email, asserted_by: 'idp', created_at: at })
  for (const organization of ['idp', 'acme']) putMember(ctx.store, organization, 'rd', 'read', at)
  putMember(ctx.store, 'idp', 'ada', 'admin', at)

  for (const search of ['dupont', 'renée.dupont']) {
    const query = `members?search=${encodeURIComponent(search)}`
    assert.equal(ids(await admin.get(`/v1/orgs/idp/${query}`)), ['rd'], search)
    assert.equal(ids(await admin.get(`/v1/orgs/acme/${query}`)), [], search)
  }
  deleteMember(ctx.store, 'acme', 'rd', at)
})

test('a search continues past the rows that it reads at a time', () => {
  insertOrganization(ctx.store, { id: 'crowd', title: 'Crowd', created_at: at })
  ctx.store.transact(() => {
    for (let index = 0; index < 1200; index++) {
      const name = index % 400 === 0 ? 'Rare' : 'Common'
      insertUser(ctx.store, {
        id: `crowd${index}`,
        display_name: name,
        email: null,
        created_at: at,
      })
      putMember(ctx.store, 'crowd', `crowd${index}`, 'read', at)
    }
  })

  const found = listMembers(
    ctx.store,
    'crowd',
    { search: 'rare', sort: 'joinedAt', order: 'asc' },
    10,
  )

  assert.equal(found.map(row => row.user_id).sort(), ['crowd0', 'crowd400', 'crowd800'])
})

test('spaces and teams are counted', async () => {
  const who = app.user('Cora', 'read')
  const spaces: string[] = []
  for (const title of ['One', 'Two', 'Three'])
    spaces.push((await admin.post('/v1/orgs/acme/spaces', { title })).body.id)

  for (const id of ['red', 'blue']) {
    insertTeam(ctx.store, { id, organization_id: 'acme', title: id, created_at: at })
    putTeamMember(ctx.store, id, 'cora')
  }

  const give = (kind: 'user' | 'team', id: string, space: number, role: 'read' | null) =>
    putPermission(ctx.store, {
      target_kind: 'space',
      target_id: spaces[space] as string,
      subject_kind: kind,
      subject_id: id,
      role,
      created_at: at,
    })

  give('user', 'cora', 0, 'read')
  give('team', 'red', 0, 'read')
  give('team', 'red', 1, 'read')
  give('team', 'blue', 1, 'read')
  give('user', 'cora', 2, null)
  const { body } = await who.get(`${list}/cora`)

  assert.equal([body.spaces, body.teams], [2, 2])
  await admin.delete(`/v1/spaces/${spaces[1]}`)
  assert.is((await who.get(`${list}/cora`)).body.spaces, 1)
  const { items } = (await admin.get(list)).body

  assert.equal(items.find((item: { id: string }) => item.id === 'cora').teams, 2)
})

test('admins change roles, members cannot raise themselves, and the last admin stays', async () => {
  const path = (id: string) => `${list}/${id}`
  for (const actor of [member, guest])
    assert.is((await actor.patch(path(actor.id), { role: 'admin' })).status, 403)
  assert.is((await guest.patch(path('max'), { role: null })).status, 403)
  assert.is((await stranger.patch(path('sid'), { role: 'admin' })).status, 404)
  assert.is((await app.anonymous.patch(path('max'), { role: 'admin' })).status, 401)
  assert.is((await admin.patch(path('sid'), { role: 'read' })).status, 404)
  assert.is((await admin.patch(path('max'), { role: 'owner' })).status, 400)
  assert.is((await admin.patch(path('max'), { disabled: true })).status, 400)

  for (const role of [null, 'edit']) {
    const reply = await admin.patch(path('ada'), { role })
    assert.is(reply.status, 409)
    assert.match(reply.body.error.message, /last admin.*Make another member/)
  }

  assert.is((await admin.delete(path('ada'))).status, 409)
  assert.is((await admin.patch(path('ada'), { role: 'admin' })).status, 200)
  assert.is((await admin.patch(path('ada'), {})).body.role, 'admin')
  const before = events('member.updated').length

  assert.is((await admin.patch(path('max'), { role: 'admin' })).body.role, 'admin')

  // Each demotes the other: one of them has to be too late.
  const both = await Promise.all([
    admin.patch(path('max'), { role: 'read' }),
    member.patch(path('ada'), { role: 'read' }),
  ])

  assert.equal(both.map(reply => reply.status).sort(), [200, 403])
  const last = both[0].status === 200 ? admin : member
  const other = last === admin ? member : admin

  assert.is((await last.patch(path(last.id), { role: null })).status, 409)
  await last.patch(path('ada'), { role: 'admin' })
  await admin.patch(path('max'), { role: 'read' })
  assert.is((await admin.get(path(other.id))).status, 200)
  const told = events('member.updated').slice(before)

  assert.equal(told[0]?.details, { role: { before: 'read', after: 'admin' } })
  assert.is(told[0]?.target_id, 'max')
  assert.is(told[0]?.user_id, 'ada')
  assert.ok(told[0]?.token_id)
})

test('admins mark single sign-on members', async () => {
  assert.is((await member.post(`${list}/max/sso`)).status, 403)
  assert.is((await admin.post(`${list}/sid/sso`)).status, 404)
  assert.ok((await admin.post(`${list}/max/sso`)).body.sso)
  assert.ok((await admin.post(`${list}/max/sso`)).body.sso)
  assert.is(events('member.updated').filter(event => 'sso' in event.details).length, 1)
})

test('activity is recorded once a minute, and returns a signed member token', async () => {
  assert.is((await app.anonymous.get('/v1/orgs/acme/.well-known/jwks.json')).status, 404)
  assert.is((await stranger.post('/v1/orgs/acme/ping')).status, 404)
  assert.is((await member.get(`${list}/max`)).body.lastSeenAt, undefined)
  insertTeam(ctx.store, { id: 'green', organization_id: 'acme', title: 'green', created_at: at })
  putTeamMember(ctx.store, 'green', 'max')
  const [first, other] = await Promise.all([
    member.post('/v1/orgs/acme/ping'),
    guest.post('/v1/orgs/acme/ping'),
  ])
  const seen = (await member.get(`${list}/max`)).body.lastSeenAt

  assert.ok(Math.abs(Date.parse(seen) - Date.now()) < 60_000)
  const { body } = await member.post('/v1/orgs/acme/ping')

  assert.is(body.gitbookVisitorClaims, body.serviceVisitorClaims)
  assert.is((await member.get(`${list}/max`)).body.lastSeenAt, seen)
  updateMember(ctx.store, 'acme', 'max', { last_seen_at: '2026-01-02T00:00:00.000Z' })
  await member.post('/v1/orgs/acme/ping')
  assert.is.not((await member.get(`${list}/max`)).body.lastSeenAt, '2026-01-02T00:00:00.000Z')

  const keys = createRemoteJWKSet(new URL(`${app.url}/v1/orgs/acme/.well-known/jwks.json`))
  const expected = { algorithms: ['EdDSA'], issuer: ctx.publicUrl(), audience: 'acme' }

  for (const reply of [first, other]) {
    const { payload } = await jwtVerify(reply.body.serviceVisitorClaims, keys, expected)
    assert.is((payload.exp ?? 0) - (payload.iat ?? 0), 3600)
    const own = reply === first
    assert.is(payload.sub, own ? 'max' : 'gus')
    assert.equal(
      [payload.name, payload.email, payload.role, payload.teams],
      own ? ['Max', 'max@example.org', 'read', ['green']] : ['Gus', 'gus@example.org', null, []],
    )
  }

  const shown = await app.anonymous.get('/v1/orgs/acme/.well-known/jwks.json')

  assert.is(shown.body.keys.length, 1)
  assert.not('d' in shown.body.keys[0])
  const spoiled = first.body.serviceVisitorClaims.replace(/.$/, (last: string) =>
    last === 'A' ? 'Q' : 'A',
  )

  try {
    await jwtVerify(spoiled, keys, expected)
  } catch {
    return
  }

  assert.unreachable('a spoiled token was taken')
})

test('an unreadable signing key is replaced', async () => {
  const jwks = '/v1/orgs/acme/.well-known/jwks.json'
  await member.post('/v1/orgs/acme/ping')
  const before = (await app.anonymous.get(jwks)).body.keys
  ctx.store.run(sqlRows(sql`update organization_key set sealed = 'AAAA'`))
  const [one, two] = await Promise.all([
    member.post('/v1/orgs/acme/ping'),
    guest.post('/v1/orgs/acme/ping'),
  ])
  const keys = createRemoteJWKSet(new URL(app.url + jwks))

  for (const { status, body } of [one, two]) {
    assert.is(status, 200)
    await jwtVerify(body.serviceVisitorClaims, keys, { issuer: ctx.publicUrl(), audience: 'acme' })
  }

  const after = (await app.anonymous.get(jwks)).body.keys

  assert.is(after.length, 1)
  assert.is.not(after[0].kid, before[0].kid)
})

test.run()
