import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'

let app: App
let admin: Driven
test.before(async () => {
  app = await startApp()
  admin = clientFor(app, app.admin)
  app.user('Max', 'read')
  app.user('Gus', null)
})
test.after(() => app.stop())

test('teams and who is in them', async () => {
  const { orgs } = admin.client
  const { id } = (await orgs.createOrganizationTeam('acme', { title: 'Writers', members: ['max'] }))
    .data
  assert.is((await orgs.getTeamInOrganizationById('acme', id)).data.members, 1)
  await orgs.updateTeamInOrganizationById('acme', id, { title: 'Authors' })
  const listed = (await orgs.listTeamsInOrganizationById('acme', { title: 'auth', owner: 'ada' }))
    .data

  assert.equal(
    listed.items.map(team => team.title),
    ['Authors'],
  )

  await orgs.updateMembersInOrganizationTeam('acme', id, {
    add: ['gus@example.org'],
    memberships: { max: { role: 'owner' as never } },
  })
  await orgs.addMemberToOrganizationTeamById('acme', id, 'ada', {})
  await orgs.deleteMemberFromOrganizationTeamById('acme', id, 'ada')
  const members = (await orgs.listTeamMembersInOrganizationById('acme', id, { limit: 10 })).data

  assert.equal(
    members.items.map(item => [item.organization.id, item.team.role as string]),
    [
      ['gus', 'member'],
      ['max', 'owner'],
    ],
  )
  await orgs.removeTeamFromOrganizationById('acme', id)
  assert.is((await orgs.listTeamsInOrganizationById('acme')).data.items.length, 0)
})

test('permissions on spaces', async () => {
  const { orgs, spaces } = admin.client
  const { id } = (await orgs.createSpace('acme', { title: 'Guides' })).data
  const team = (await orgs.createOrganizationTeam('acme', { title: 'Writers' })).data
  await spaces.inviteToSpace(id, { role: 'edit' as never, users: ['gus'], teams: [team.id] })
  assert.is((await spaces.listUserPermissionsInSpace(id)).data.items[0]?.user.id, 'gus')
  assert.is((await spaces.listTeamPermissionsInSpace(id)).data.items[0]?.team.spaces, 1)
  await spaces.updateUserPermissionInSpace(id, 'gus', { role: 'review' as never })
  await spaces.updateTeamPermissionInSpace(id, team.id, { role: null as never })
  const reviewers = (await spaces.listPermissionsAggregateInSpace(id, { role: 'review' as never }))
    .data

  assert.equal(
    reviewers.items.map(item => item.user.id),
    ['gus'],
  )
  await spaces.removeUserFromSpace(id, 'gus')
  await spaces.removeTeamFromSpace(id, team.id)
  assert.is((await spaces.listUserPermissionsInSpace(id)).data.items.length, 0)
})

test('permissions on collections', async () => {
  const { orgs, collections } = admin.client
  const { id } = (await orgs.createCollection('acme', { title: 'Handbooks' })).data
  const team = (await orgs.createOrganizationTeam('acme', { title: 'Editors' })).data
  await collections.inviteToCollection(id, {
    role: 'edit' as never,
    users: ['gus'],
    teams: [team.id],
  })
  assert.is((await collections.listUserPermissionsInCollection(id)).data.items[0]?.user.id, 'gus')
  await collections.updateTeamPermissionInCollection(id, team.id, { role: 'comment' as never })
  const given = (await collections.listTeamPermissionsInCollection(id)).data.items[0]

  assert.equal([given?.permission as string, given?.team.title], ['comment', 'Editors'])
  await collections.updateUserPermissionInCollection(id, 'gus', { role: 'review' as never })
  const all = (await collections.listPermissionsAggregateInCollection(id)).data

  assert.is(all.items.find(item => item.user.id === 'gus')?.permission as string, 'review')
  await collections.removeUserFromCollection(id, 'gus')
  await collections.removeTeamFromCollection(id, team.id)
  assert.is((await collections.listTeamPermissionsInCollection(id)).data.items.length, 0)
})

test('every operation that the client has for these was called', () => {
  assert.equal(
    notDriven(/\/teams|^\/(?:spaces|collections)\/:\w+\/permissions/, admin.done).filter(
      key => !key.includes('/members/:userId/teams'),
    ),
    [],
  )
})

test.run()
