import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { updateMember } from '../../../src/store/people/members.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { admin } = app
const creator = app.user('Cleo', 'create')
const guest = app.user('Gus', null)
const reader = app.user('Rae', 'read')
const stranger = app.user('Sid')
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'
const closed = (await admin.post('/v1/orgs/acme/spaces', { title: 'Closed' })).body.id
await admin.patch(`/v1/spaces/${closed}`, { defaultLevel: null })
const site = (await creator.post(sites, { title: 'Own' })).body.id
const permissions = `${sites}/${site}/permissions`

type Held = { permission: string; user: { id: string }; origin: object }

async function rolesOf(query = ''): Promise<Record<string, string>> {
  const { body, text } = await admin.get(`${permissions}/aggregate${query}`)
  assert.ok(body.items, text)
  return Object.fromEntries(body.items.map((each: Held) => [each.user.id, each.permission]))
}

test('admins of a site give roles on it, to users and teams', async () => {
  assert.is((await guest.get(`${sites}/${site}`)).status, 404)
  assert.is((await creator.post(permissions, { role: 'create', users: ['gus'] })).status, 204)
  const renamed = await guest.patch(`${sites}/${site}`, { title: 'By a guest' })
  assert.is(renamed.status, 200, renamed.text)
  const { id: team } = (await admin.put('/v1/orgs/acme/teams', { title: 'Readers' })).body

  assert.is((await creator.patch(`${permissions}/teams/${team}`, { role: 'read' })).status, 204)
  const teams = (await creator.get(`${permissions}/teams`)).body

  assert.equal(
    teams.items.map((each: { permission: string; team: { id: string } }) => [
      each.permission,
      each.team.id,
    ]),
    [['read', team]],
  )
  const users = (await creator.get(`${permissions}/users`)).body

  assert.equal(
    users.items.map((each: Held) => [each.user.id, each.permission]),
    [
      ['cleo', 'admin'],
      ['gus', 'create'],
    ],
  )
  assert.is((await creator.delete(`${permissions}/teams/${team}`)).status, 204)
  assert.is((await creator.get(`${permissions}/teams`)).body.count, 0)
})

test('a role on a site is none on its spaces', async () => {
  assert.is((await admin.post(permissions, { role: 'admin', users: ['gus'] })).status, 204)
  assert.is((await guest.get(`/v1/spaces/${closed}`)).status, 404)
  assert.is((await guest.post(sites, { title: 'Mine' })).status, 403)
})

test('the creator of a site can be lowered, and any user gives up a role of their own', async () => {
  assert.is((await admin.patch(`${permissions}/users/cleo`, { role: 'read' })).status, 204)
  // The role in the organization stays.
  assert.is((await creator.patch(`${sites}/${site}`, { title: 'Still create' })).status, 200)
  assert.is((await creator.get(`${permissions}/users`)).status, 403)
  assert.is((await guest.delete(`${permissions}/users/gus`)).status, 204)
  assert.is((await guest.get(`${sites}/${site}`)).status, 404)
  assert.is((await admin.delete(`${permissions}/users/gus`)).status, 204)
})

test('unknown users and teams, other members and null as a role are refused', async () => {
  const answers = [
    await admin.post(permissions, { role: 'read', users: ['nobody'] }),
    await admin.post(permissions, { role: 'read', teams: ['none'] }),
    await admin.patch(`${permissions}/users/${stranger.id}`, { role: 'read' }),
    await admin.post(permissions, { role: null, users: ['rae'] }),
    await admin.post(permissions, { role: 'read' }),
    await reader.post(permissions, { role: 'admin', users: ['rae'] }),
    await stranger.post(permissions, { role: 'admin', users: ['sid'] }),
  ]
  assert.equal(
    answers.map(each => each.status),
    [404, 404, 404, 400, 400, 404, 404],
  )
})

test('the aggregate has every member with a role, and where it comes from', async () => {
  assert.equal(await rolesOf(), { ada: 'admin', cleo: 'create' })
  const open = (await admin.post('/v1/orgs/acme/spaces', { title: 'Open' })).body.id
  const { id } = (await admin.post(sites, { spaces: [closed, open] })).body
  const { body } = await admin.get(`${sites}/${id}/permissions/aggregate`)
  const own = { type: 'organization', organization: 'acme' }

  assert.equal(
    body.items.map((each: Held) => [each.user.id, each.permission, each.origin]),
    [
      ['rae', 'read', { type: 'space', space: open }],
      ['cleo', 'create', own],
      ['ada', 'admin', own],
    ],
  )
  assert.is(body.count, 3)
  const first = (await admin.get(`${sites}/${id}/permissions/aggregate?limit=2`)).body

  assert.equal([first.items.length, first.count], [2, 2])
  const second = await admin.get(
    `${sites}/${id}/permissions/aggregate?limit=2&page=${first.next.page}`,
  )

  assert.equal(
    second.body.items.map((each: Held) => each.user.id),
    ['ada'],
  )
  assert.equal(await rolesOf('?role=admin'), { ada: 'admin' })
})

test('the aggregate is searched, sorted and filtered by team and role', async () => {
  const open = (await admin.post('/v1/orgs/acme/spaces', { title: 'For all' })).body.id
  const shown = (await admin.post(sites, { spaces: [open] })).body.id
  const { id: team } = (await admin.put('/v1/orgs/acme/teams', { title: 'Writers' })).body
  await admin.put(`/v1/orgs/acme/teams/${team}/members`, { add: ['gus', 'rae'], remove: [] })
  assert.is(
    (await admin.patch(`${sites}/${shown}/permissions/users/gus`, { role: 'edit' })).status,
    204,
  )
  updateMember(app.ctx.store, 'acme', 'rae', { last_seen_at: '2026-02-01T00:00:00.000Z' })
  updateMember(app.ctx.store, 'acme', 'gus', { last_seen_at: null })
  const disabled = app.user('Dora', 'admin')
  updateMember(app.ctx.store, 'acme', disabled.id, { disabled: 1 })

  const aggregate = `${sites}/${shown}/permissions/aggregate`
  const list = async (query: string) => {
    const { body, text } = await admin.get(`${aggregate}?${query}`)
    assert.ok(body.items, text)
    return body.items.map((each: Held) => each.user.id)
  }
  assert.equal(await list('sort=name&order=asc'), ['ada', 'cleo', 'gus', 'rae'])
  assert.equal(await list('sort=name'), ['rae', 'gus', 'cleo', 'ada'])
  assert.equal(await list('order=asc'), (await list('order=desc')).reverse())
  assert.equal(await list(`team=${team}&sort=name`), ['rae', 'gus'])
  assert.equal(await list('team=unknown'), [])
  assert.equal(await list('search=CLEO%40example'), ['cleo'])
  assert.equal(await list('role=guest'), ['gus'])
  assert.equal(await list('role=read&search=a'), ['rae'])
  const seen = await admin.get(`${aggregate}?sort=lastSeenAt&search=rae`)
  assert.is(seen.body.items[0].lastSeenAt, '2026-02-01T00:00:00.000Z')
  assert.not.ok((await list('sort=lastSeenAt')).includes('gus'))

  for (const query of ['sort=name', 'sort=name&order=asc', 'search=a', `team=${team}`]) {
    const paged: string[] = []
    for (let page = ''; ; ) {
      const { body } = await admin.get(`${aggregate}?${query}&limit=1${page}`)
      paged.push(...body.items.map((each: Held) => each.user.id))
      if (!body.next) break
      page = `&page=${body.next.page}`
    }
    assert.equal(paged, await list(query), query)
  }
  for (const query of ['sort=title', 'order=up', 'role=owner'])
    assert.is((await admin.get(`${aggregate}?${query}`)).status, 400, query)
})

test('changes of roles are recorded', async () => {
  const { body } = await admin.get(
    '/v1/orgs/acme/audit-events?action=site.permission_given&limit=100',
  )
  const lowered = body.items.find(
    (each: { details: { before?: string } }) => each.details.before === 'admin',
  )
  assert.equal(lowered.details, { user: 'cleo', before: 'admin', role: 'read' })
})

test.run()
