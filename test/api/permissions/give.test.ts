import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { insertTeam, putTeamMember } from '../../../src/store/people/teams.ts'
import { insertUser } from '../../../src/store/people/users.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { eventsOf } from '../../support/events.ts'

const app = await startApp()
const at = '2026-01-01T00:00:00.000Z'
const member = app.user('Max', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')
insertTeam(app.ctx.store, {
  id: 'writers',
  organization_id: 'acme',
  title: 'Writers',
  created_at: at,
})
insertOrganization(app.ctx.store, { id: 'other', title: 'Other', created_at: at })
insertTeam(app.ctx.store, {
  id: 'theirs',
  organization_id: 'other',
  title: 'Theirs',
  created_at: at,
})
putTeamMember(app.ctx.store, 'writers', 'max')

test.after(() => app.stop())

type Kind = 'space' | 'collection'

/** A space or collection that only admins of the organization can see so far. */
async function closed(kind: Kind, parent?: string): Promise<string> {
  const body = { title: 'Closed', ...(parent && { parent: parent.split('/').at(-1) }) }
  const made = await app.admin.post(`/v1/orgs/acme/${kind}s`, body)
  const path = `/v1/${kind}s/${made.body.id}`
  assert.is((await app.admin.patch(path, { defaultLevel: null })).status, 200)
  return path
}

const given = async (path: string, of: 'users' | 'teams', actor = app.admin): Promise<string[]> => {
  const reply = await actor.get(`${path}/permissions/${of}`)
  assert.is(reply.status, 200, reply.text)
  return reply.body.items.map(
    (item: { permission: string; user?: { id: string }; team?: { id: string } }) =>
      [(item.user ?? item.team)?.id, item.permission].join(' '),
  )
}

const mayRead = async (actor: Actor, path: string) => (await actor.get(path)).status === 200

for (const kind of ['space', 'collection'] as const) {
  test(`a role on a ${kind} is granted to several users and teams`, async () => {
    const path = await closed(kind)
    const invited = await app.admin.post(`${path}/permissions`, {
      role: 'comment',
      users: ['gus', 'max'],
      teams: ['writers'],
    })

    assert.is(invited.status, 204, invited.text)
    assert.equal(await given(path, 'users'), ['gus comment', 'max comment'])
    assert.equal(await given(path, 'teams'), ['writers comment'])
    const { items } = (await app.admin.get(`${path}/permissions/teams`)).body

    assert.is(items[0].team.title, 'Writers')
    assert.ok(await mayRead(guest, path))
    assert.equal(
      eventsOf(app, path.split('/').at(-1)!).filter(event => event.action.startsWith('permission')),
      [
        { action: 'permission.given', user: 'ada', details: { user: 'gus', role: 'comment' } },
        { action: 'permission.given', user: 'ada', details: { user: 'max', role: 'comment' } },
        { action: 'permission.given', user: 'ada', details: { team: 'writers', role: 'comment' } },
      ],
    )
    const page = (await app.admin.get(`${path}/permissions/users?limit=1`)).body
    const next = (await app.admin.get(`${path}/permissions/users?limit=1&page=${page.next.page}`))
      .body

    assert.equal(
      [page.items[0].user.id, next.items[0].user.id, next.next],
      ['gus', 'max', undefined],
    )
  })

  test(`an unknown user on a ${kind} fails the whole request`, async () => {
    const path = await closed(kind)
    for (const [body, status, told] of [
      [{ role: 'read', users: ['gus', 'nobody'] }, 404, 'user "nobody"'],
      [{ role: 'read', users: ['gus'], teams: ['none'] }, 404, 'team "none"'],
      [{ role: 'read', users: ['gus'], teams: ['theirs'] }, 404, 'team "theirs"'],
      [{ role: 'read' }, 400, 'takes "users", "teams" or both'],
      [{ role: 'read', users: [] }, 400, '"users"'],
      [{ users: ['gus'] }, 400, '"role"'],
      [{ role: 'boss', users: ['gus'] }, 400, '"role"'],
      [{ role: 'read', users: Array.from({ length: 101 }, (_, n) => `u${n}`) }, 400, '"users"'],
    ] as const) {
      const refused = await app.admin.post(`${path}/permissions`, body)
      assert.is(refused.status, status, refused.text)
      assert.ok(refused.body.error.message.includes(told), refused.body.error.message)
    }

    assert.equal(await given(path, 'users'), [])
  })

  test(`only admins of a ${kind} can grant and list`, async () => {
    const path = await closed(kind)
    const all = async (actor: Actor) => {
      const body = { role: 'admin', users: [actor.id || 'max'] }
      const said = [
        await actor.post(`${path}/permissions`, body),
        await actor.get(`${path}/permissions/users`),
        await actor.get(`${path}/permissions/teams`),
        await actor.get(`${path}/permissions/aggregate`),
        await actor.patch(`${path}/permissions/users/max`, { role: 'admin' }),
        await actor.patch(`${path}/permissions/teams/writers`, { role: 'admin' }),
        await actor.delete(`${path}/permissions/teams/writers`),
        await actor.delete(`${path}/permissions/users/ada`),
      ]

      return [...new Set(said.map(reply => reply.status))]
    }

    assert.equal(await all(guest), [404])
    assert.equal(await all(app.anonymous), [401])
    await app.admin.post(`${path}/permissions`, { role: 'create', users: ['gus'] })
    assert.equal(await all(guest), [403])
    await app.admin.patch(`${path}/permissions/users/gus`, { role: 'admin' })
    assert.is(
      (await guest.post(`${path}/permissions`, { role: 'edit', users: ['max'] })).status,
      204,
    )
    assert.equal(await given(path, 'users', guest), ['gus admin', 'max edit'])
  })

  test(`a grant on a ${kind} is changed, set to null and removed`, async () => {
    const path = await closed(kind)
    const user = `${path}/permissions/users/gus`
    assert.is((await app.admin.patch(user, { role: 'edit' })).status, 204)
    assert.is((await app.admin.patch(user, {})).status, 204)
    assert.equal(await given(path, 'users'), ['gus edit'])
    assert.is(
      (await app.admin.patch(`${path}/permissions/users/sid`, { role: 'read' })).status,
      404,
    )

    assert.is(
      (await app.admin.patch(`${path}/permissions/teams/none`, { role: 'read' })).status,
      404,
    )

    assert.is(
      (await app.admin.patch(`${path}/permissions/teams/writers`, { role: 'read' })).status,
      204,
    )
    assert.ok(await mayRead(member, path))
    assert.is(
      (await app.admin.patch(`${path}/permissions/teams/writers`, { role: null })).status,
      204,
    )
    assert.not(await mayRead(member, path))
    assert.equal(await given(path, 'teams'), [])
    for (const gone of ['users/gus', 'users/gus', 'users/sid', 'teams/writers', 'teams/none'])
      assert.is((await app.admin.delete(`${path}/permissions/${gone}`)).status, 204, gone)
    assert.not(await mayRead(guest, path))
    assert.equal(
      eventsOf(app, path.split('/').at(-1)!)
        .filter(event => event.action.startsWith('permission'))
        .map(({ action, details }) => [action, details]),
      [
        ['permission.given', { user: 'gus', role: 'edit' }],
        ['permission.given', { team: 'writers', role: 'read' }],
        ['permission.given', { team: 'writers', before: 'read', role: null }],
        ['permission.removed', { user: 'gus', before: 'edit' }],
        ['permission.removed', { team: 'writers', before: null }],
      ],
    )
  })
}

test('access from a collection is revoked on a space in it, and restored', async () => {
  const outer = await closed('collection')
  const inner = await closed('space', outer)
  await app.admin.post(`${outer}/permissions`, { role: 'edit', users: ['gus'] })
  assert.is((await guest.get(inner)).body.permissions.edit, true)
  await app.admin.patch(`${inner}/permissions/users/gus`, { role: null })
  assert.is((await guest.get(inner)).status, 404)

  // A user with a grant of null cannot remove it.
  assert.is((await guest.delete(`${inner}/permissions/users/gus`)).status, 404)
  await app.admin.delete(`${inner}/permissions/users/gus`)
  assert.is((await guest.get(inner)).body.permissions.edit, true)
})

test('users can remove their own grant unless they would gain rights', async () => {
  const outer = await closed('collection')
  const inner = await closed('space', outer)
  await app.admin.post(`${outer}/permissions`, { role: 'edit', users: ['gus'] })
  await app.admin.post(`${inner}/permissions`, { role: 'read', users: ['gus', 'max'] })
  const refused = await guest.delete(`${inner}/permissions/users/gus`)

  assert.is(refused.status, 403)
  assert.match(refused.body.error.message, /would give you the role "edit"/)
  assert.equal(await given(inner, 'users'), ['gus read', 'max read'])
  assert.is((await guest.delete(`${inner}/permissions/users/max`)).status, 403)
  assert.is((await member.delete(`${inner}/permissions/users/max`)).status, 204)
  assert.not(await mayRead(member, inner))
  assert.is((await guest.delete(`${outer}/permissions/users/gus`)).status, 204)
  assert.is((await guest.get(inner)).status, 200)
})

test('an outsider becomes a guest who sees only granted items', async () => {
  const path = await closed('space')
  await app.admin.post(`${path}/permissions`, { role: 'admin', users: ['gus'] })
  assert.is((await stranger.get('/v1/orgs/acme')).status, 404)
  const bring = () => guest.post(`${path}/permissions`, { role: 'comment', users: ['sid'] })

  assert.is(
    (await bring()).status,
    404,
    'only admins of the organization bring in people from outside',
  )
  await app.admin.patch('/v1/orgs/acme', { outsidersByAdminsOnly: false })
  assert.is((await bring()).status, 204)
  assert.is((await stranger.get(path)).body.permissions.comment, true)
  assert.is((await app.admin.get('/v1/orgs/acme/members/sid')).body.role, null)
  assert.equal((await stranger.get('/v1/orgs/acme/spaces')).body.count, 1)
  assert.equal(eventsOf(app, 'sid'), [
    { action: 'member.invited', user: 'gus', details: { role: null } },
  ])

  // A member keeps the role in the organization.
  await app.admin.post(`${path}/permissions`, { role: 'comment', users: ['max'] })
  assert.is((await app.admin.get('/v1/orgs/acme/members/max')).body.role, 'read')
})

test('the aggregate shows the resulting roles from all sources', async () => {
  const path = await closed('space')
  putMember(app.ctx.store, 'acme', 'max', 'read', at)
  insertUser(app.ctx.store, { id: 'late', display_name: 'Late', email: null, created_at: at })
  putMember(app.ctx.store, 'acme', 'late', 'create', '2026-02-01T00:00:00.000Z')
  const who = async (query = '') => {
    const reply = await app.admin.get(`${path}/permissions/aggregate${query}`)
    assert.is(reply.status, 200, reply.text)
    return reply.body.items.map((item: { permission: string; user: { id: string } }) =>
      [item.user.id, item.permission].join(' '),
    )
  }

  await app.admin.post(`${path}/permissions`, { role: 'edit', teams: ['writers'] })
  await app.admin.post(`${path}/permissions`, { role: 'review', users: ['gus'] })
  assert.equal(await who(), ['ada admin', 'gus review', 'max edit', 'late create'])
  assert.equal(await who('?role=edit'), ['max edit'])
  assert.equal(await who('?role=comment'), [])
  await app.admin.patch(path, { defaultLevel: 'review' })

  // A grant takes precedence over a default level.
  assert.equal(await who(), ['ada admin', 'gus review', 'max edit', 'late create'])
  const first = (await app.admin.get(`${path}/permissions/aggregate?limit=3`)).body

  assert.equal(await who(`?limit=3&page=${first.next.page}`), ['late create'])
  assert.is((await app.admin.get(`${path}/permissions/aggregate?role=boss`)).status, 400)
  const other = await closed('space')

  assert.is(
    (await app.admin.get(`${other}/permissions/aggregate?page=${first.next.page}`)).status,
    400,
  )
})

test('grants on a deleted space are refused', async () => {
  const path = await closed('space')
  await app.admin.delete(path)
  assert.is(
    (await app.admin.post(`${path}/permissions`, { role: 'read', users: ['gus'] })).status,
    404,
  )
  assert.is((await app.admin.get(`${path}/permissions/users`)).status, 404)
})

test.run()
