import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { eventsOf } from '../../support/events.ts'

const app = await startApp()
const member = app.user('Max', 'read')
const owner = app.user('Olga', 'comment')
const guest = app.user('Gus', null)
app.user('Eve', 'edit')
app.user('Sid')

test.after(() => app.stop())

async function makeTeam(): Promise<string> {
  const { body } = await app.admin.put('/v1/orgs/acme/teams', { title: 'Team', members: ['olga'] })
  const team = `/v1/orgs/acme/teams/${body.id}`
  assert.is((await app.admin.put(`${team}/members/olga`, { role: 'owner' })).status, 204)
  return team
}

/** Returns the members of a team as "id role". */
async function inTeam(team: string): Promise<string[]> {
  const { body } = await member.get(`${team}/members?limit=1000`)
  return body.items.map(
    (item: { organization: { id: string }; team: { role: string } }) =>
      `${item.organization.id} ${item.team.role}`,
  )
}

test('members are listed with their roles in the organization and the team', async () => {
  const team = await makeTeam()
  await owner.put(`${team}/members`, { add: ['max', 'gus'] })
  const { body } = await member.get(`${team}/members`)
  assert.is(body.count, 3)
  const [gus, max, olga] = body.items

  assert.is(gus.organization.role, null)
  assert.is(max.organization.teams, 1)
  assert.is(max.organization.user.displayName, 'Max')
  assert.equal(
    [olga.organization.role, olga.team, olga.permissions],
    ['comment', { role: 'owner' }, { view: true }],
  )
  const first = (await member.get(`${team}/members?limit=2`)).body
  const rest = (await member.get(`${team}/members?limit=2&page=${first.next.page}`)).body

  assert.equal([first.count, rest.count, rest.next], [2, 1, undefined])
  assert.is((await guest.get(`${team}/members`)).status, 403)
  assert.is((await app.anonymous.get(`${team}/members`)).status, 401)
})

test('one request adds, changes and removes many members, and removals take precedence', async () => {
  const team = await makeTeam()
  const change = await owner.put(`${team}/members`, {
    add: ['MAX@example.org', 'eve', 'olga'],
    remove: ['eve@example.org'],
    memberships: { gus: { role: 'member' }, max: { role: 'owner' }, eve: { role: 'owner' } },
  })

  assert.is(change.status, 204, change.text)
  assert.equal(await inTeam(team), ['gus member', 'max owner', 'olga owner'])
  await owner.put(`${team}/members`, { add: ['max'], remove: ['gus', 'gus@example.org'] })
  assert.equal(await inTeam(team), ['max owner', 'olga owner'])
  assert.equal(eventsOf(app, team.split('/').at(-1)!).slice(2), [
    {
      action: 'team.members_updated',
      user: 'olga',
      details: { added: { max: 'owner', gus: 'member' }, changed: {}, removed: [] },
    },
    {
      action: 'team.members_updated',
      user: 'olga',
      details: { added: {}, changed: {}, removed: ['gus'] },
    },
  ])
  await owner.put(`${team}/members`, {})
  await owner.put(`${team}/members`, { add: ['max'], remove: ['eve'] })
  assert.is(eventsOf(app, team.split('/').at(-1)!).length, 4)
})

test('an unknown user is named, and nothing is done', async () => {
  const team = await makeTeam()
  for (const [field, body] of [
    ['add', { add: ['max', 'sid'] }],
    ['remove', { add: ['max'], remove: ['sid'] }],
    ['memberships', { add: ['max'], memberships: { sid: { role: 'owner' } } }],
  ] as const) {
    const refused = await owner.put(`${team}/members`, body)
    assert.is(refused.status, 400)
    assert.match(
      refused.body.error.message,
      `"${field}" in the body: "sid" is not a member of the organization`,
    )
  }

  for (const wrong of [
    { add: 'max' },
    { add: [''] },
    { memberships: { max: { role: 'boss' } } },
    { memberships: { max: {} } },
    { members: ['max'] },
  ])
    assert.is((await owner.put(`${team}/members`, wrong)).status, 400, JSON.stringify(wrong))

  assert.equal(await inTeam(team), ['olga owner'])
})

test('owners and admins add a member, change the role and remove them', async () => {
  const team = await makeTeam()
  assert.is((await member.put(`${team}/members/max`, {})).status, 403)
  assert.is((await owner.put(`${team}/members/max`, {})).status, 204)
  assert.equal(await inTeam(team), ['max member', 'olga owner'])
  assert.is((await member.put(`${team}/members/max`, { role: 'owner' })).status, 403)
  assert.is((await member.delete(`${team}/members/olga`)).status, 403)
  assert.is((await owner.request('PUT', `${team}/members/olga`)).status, 204)
  assert.is((await owner.put(`${team}/members/max`, { role: 'owner' })).status, 204)
  assert.equal(await inTeam(team), ['max owner', 'olga owner'])
  assert.is((await owner.put(`${team}/members/sid`, {})).status, 404)
  assert.is((await owner.put(`${team}/members/max`, { role: 'boss' })).status, 400)
  for (const id of ['max', 'max', 'sid', 'none'])
    assert.is((await owner.delete(`${team}/members/${id}`)).status, 204)
  assert.is((await owner.delete(`${team}/members/olga`)).status, 204)
  assert.equal(await inTeam(team), [])
  assert.is((await owner.put(`${team}/members/olga`, {})).status, 403)
})

test('a guest in a team has the grants of the team', async () => {
  const team = await makeTeam()
  const { id } = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'For the team' })).body
  await app.admin.post(`/v1/spaces/${id}/permissions`, {
    role: 'edit',
    teams: [team.split('/').at(-1)],
  })
  assert.is((await guest.get(`/v1/spaces/${id}`)).status, 404)
  await owner.put(`${team}/members/gus`, {})
  assert.is((await guest.get(`/v1/spaces/${id}`)).body.permissions.edit, true)
  await owner.delete(`${team}/members/gus`)
  assert.is((await guest.get(`/v1/spaces/${id}`)).status, 404)
})

test.run()
