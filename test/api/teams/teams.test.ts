import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { insertTeam } from '../../../src/store/people/teams.ts'
import { startApp } from '../../support/app.ts'
import { eventsOf } from '../../support/events.ts'

const app = await startApp()
const member = app.user('Max', 'read')
const owner = app.user('Olga', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')
const teams = '/v1/orgs/acme/teams'

test.after(() => app.stop())

const make = async (title: string, members: string[] = []): Promise<string> => {
  const made = await app.admin.put(teams, { title, members })
  assert.is(made.status, 201, made.text)
  return made.body.id
}

test('only admins of the organization can create teams', async () => {
  const made = await app.admin.put(teams, {
    title: 'Writers',
    members: ['max', 'Olga@Example.org', 'max'],
  })

  assert.is(made.status, 201)
  assert.equal(made.body, {
    object: 'team',
    id: made.body.id,
    title: 'Writers',
    members: 2,
    spaces: 0,
    createdAt: made.body.createdAt,
    permissions: { admin: true, view: true },
  })
  assert.is(made.headers.get('location'), `${app.url}${teams}/${made.body.id}`)
  assert.equal(eventsOf(app, made.body.id), [
    { action: 'team.created', user: 'ada', details: { members: ['max', 'olga'] } },
  ])

  for (const [actor, status] of [
    [member, 403],
    [guest, 403],
    [stranger, 404],
    [app.anonymous, 401],
  ] as const)
    assert.is((await actor.put(teams, { title: 'Mine' })).status, status)

  for (const wrong of [
    {},
    { title: '' },
    { title: 'x'.repeat(65) },
    { title: 'a\nb' },
    { title: 'A', x: 1 },
  ])
    assert.is((await app.admin.put(teams, wrong)).status, 400, JSON.stringify(wrong))

  const unknown = await app.admin.put(teams, {
    title: 'A',
    members: ['max', 'sid', 'nobody@example.org'],
  })

  assert.is(unknown.status, 400)
  assert.match(
    unknown.body.error.message,
    /"members" in the body: "sid", "nobody@example.org" are not members/,
  )
})

test('all members except guests can list teams, by page, title and owner', async () => {
  const first = await make('Ärzte ohne Grenzen', ['olga'])
  const second = await make('Doctors')
  await app.admin.put(`${teams}/${first}/members/olga`, { role: 'owner' })
  const list = async (query: string, actor = member) => {
    const reply = await actor.get(`${teams}?${query}`)
    assert.is(reply.status, 200, reply.text)
    return reply.body
  }
  const ids = (body: { items: { id: string }[] }) => body.items.map(team => team.id)

  assert.equal(ids(await list('title=%C3%A4RZTE')), [first])
  assert.equal(ids(await list('title=nobody')), [])
  assert.equal(ids(await list('title=')), ids(await list('')))
  assert.equal(ids(await list('owner=olga')), [first])
  assert.equal(ids(await list('owner=max')), [])
  assert.equal(ids(await list('owner=ada')), ids(await list('limit=1000')))
  const one = await list('limit=1&title=o')
  const two = await list(`limit=1&title=o&page=${one.next.page}`)

  assert.not.equal(ids(one), ids(two))
  assert.is((await member.get(`${teams}?limit=1&page=${one.next.page}`)).status, 400)
  assert.is((await guest.get(teams)).status, 403)
  assert.is((await stranger.get(teams)).status, 404)
  const seen = (await list('owner=olga', owner)).items[0]

  assert.equal(seen.permissions, { admin: true, view: true })
  assert.equal((await list('owner=olga')).items[0].permissions, { admin: false, view: true })
  assert.is((await guest.get(`${teams}/${second}`)).status, 403)
  assert.is((await member.get(`${teams}/none`)).status, 404)
})

test('a team of another organization is not found', async () => {
  const at = '2026-01-01T00:00:00.000Z'
  insertOrganization(app.ctx.store, { id: 'other', title: 'Other', created_at: at })
  putMember(app.ctx.store, 'other', 'sid', 'admin', at)
  insertTeam(app.ctx.store, {
    id: 'theirs',
    organization_id: 'other',
    title: 'Theirs',
    created_at: at,
  })
  assert.is((await app.admin.get(`${teams}/theirs`)).status, 404)
  assert.is((await app.admin.patch(`${teams}/theirs`, { title: 'Ours' })).status, 404)
  assert.is((await app.admin.delete(`${teams}/theirs`)).status, 204)
  assert.is((await stranger.get('/v1/orgs/other/teams/theirs')).status, 200)
  assert.is((await app.admin.put(`${teams}/theirs/members/max`, {})).status, 404)
})

test('owners and admins change the title, only admins delete, and grants to the team are removed', async () => {
  const id = await make('Old', ['olga', 'max'])
  await app.admin.put(`${teams}/${id}/members/olga`, { role: 'owner' })
  const space = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Closed' })).body.id
  await app.admin.patch(`/v1/spaces/${space}`, { defaultLevel: null })
  assert.is((await member.get(`/v1/spaces/${space}`)).status, 404)
  putPermission(app.ctx.store, {
    target_kind: 'space',
    target_id: space,
    subject_kind: 'team',
    subject_id: id,
    role: 'read',
    created_at: '2026-01-01T00:00:00.000Z',
  })
  assert.is((await member.get(`/v1/spaces/${space}`)).status, 200)
  assert.is((await member.get(`${teams}/${id}`)).body.spaces, 1)
  const renamed = await owner.patch(`${teams}/${id}`, { title: 'New' })

  assert.is(renamed.status, 200)
  assert.is(renamed.body.title, 'New')
  assert.is((await member.patch(`${teams}/${id}`, { title: 'Mine' })).status, 403)
  assert.is((await owner.delete(`${teams}/${id}`)).status, 403)
  assert.is((await app.admin.delete(`${teams}/${id}`)).status, 204)
  assert.is((await app.admin.delete(`${teams}/${id}`)).status, 204)
  assert.is((await member.get(`${teams}/${id}`)).status, 404)
  assert.is((await member.get(`/v1/spaces/${space}`)).status, 404)
  assert.equal(
    eventsOf(app, id).map(event => event.action),
    ['team.created', 'team.members_updated', 'team.updated', 'team.deleted'],
  )
})

test.run()
