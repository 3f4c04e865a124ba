import { decodeJwt } from 'jose'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertTeam, putTeamMember } from '../../src/store/people/teams.ts'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'

let app: App
let admin: Driven
let newcomer: Driven
test.before(async () => {
  app = await startApp()
  admin = clientFor(app, app.admin)
  newcomer = clientFor(app, app.user('Nina'))
})
test.after(() => app.stop())

test('members', async () => {
  const { orgs } = admin.client
  app.user('Max', 'read')
  const list = (
    await orgs.listMembersInOrganizationById('acme', { sort: 'joinedAt', order: 'asc', limit: 10 })
  ).data
  assert.equal(
    list.items.map(member => member.id),
    ['ada', 'max'],
  )
  const found = (
    await orgs.listMembersInOrganizationById('acme', { search: 'MAX', role: 'read' as never })
  ).data

  assert.is(found.items[0]?.user.displayName, 'Max')
  await orgs.updateMemberInOrganizationById('acme', 'max', { role: 'edit' as never })
  const max = (await orgs.getMemberInOrganizationById('acme', 'max')).data

  assert.is(max.role, 'edit')
  assert.ok((await orgs.setUserAsSsoMemberForOrganization('acme', 'max')).data.sso)
  await orgs.createSpace('acme', { title: 'Docs' })
  const spaces = (await orgs.listSpacesForOrganizationMember('acme', 'max', { order: 'asc' })).data

  assert.is(spaces.items[0]?.space.title, 'Docs')
  assert.is(spaces.items[0]?.permission, 'edit')
  insertTeam(app.ctx.store, {
    id: 'red',
    organization_id: 'acme',
    title: 'Red',
    created_at: '2026-01-01T00:00:00.000Z',
  })
  putTeamMember(app.ctx.store, 'red', 'max', 'owner')
  const teams = (await orgs.listTeamsForOrganizationMember('acme', 'max', { title: 'r' })).data

  assert.is(teams.items[0]?.team.title, 'Red')
  assert.is(teams.items[0]?.member.role, 'owner')
  const { gitbookVisitorClaims = '' } = (await orgs.updateOrganizationMemberLastSeenAt('acme')).data

  assert.is(decodeJwt(gitbookVisitorClaims).sub, 'ada')
  await orgs.removeMemberFromOrganizationById('acme', 'max')
  assert.is((await orgs.listMembersInOrganizationById('acme')).data.items.length, 1)
})

test('invitations', async () => {
  const { orgs } = admin.client
  const invited = (
    await orgs.inviteUsersToOrganization('acme', {
      emails: ['one@example.net', { email: 'two@example.net', role: null }],
      role: 'comment' as never,
      sso: true,
    })
  ).data

  assert.is(invited.invited, 2)
  assert.is(invited.failedSSOEmails?.length, 2)
  const invite = (await orgs.createOrganizationInvite('acme', { role: 'read' as never })).data
  const space = (await orgs.createSpace('acme', { title: 'For guests' })).data
  const toSpace = (
    await orgs.createOrganizationInvite('acme', { level: 'edit' as never, space: space.id })
  ).data

  assert.is('space' in toSpace && toSpace.space.id, space.id)
  const collection = (await orgs.createCollection('acme', { title: 'For guests' })).data

  await orgs.createOrganizationInvite('acme', { level: 'edit' as never, collection: collection.id })
  assert.is((await orgs.listOrganizationInviteLinks('acme', { limit: 10 })).data.items.length, 3)
  await orgs.updateOrganizationInviteById('acme', invite.id, { role: 'comment' as never })
  const shown = (await orgs.getOrganizationInviteLink('acme', invite.id)).data

  assert.is('role' in shown && shown.role, 'comment')
  await newcomer.client.orgs.joinOrganizationWithInvite('acme', invite.id)
  assert.is((await orgs.getMemberInOrganizationById('acme', 'nina')).data.role, 'comment')
  await orgs.deleteOrganizationInviteById('acme', invite.id)
  await orgs.updateOrganizationById('acme', { emailDomains: ['example.org'] })
  const other = clientFor(app, app.user('Otto'))

  await other.client.orgs.joinOrganization('acme')
  for (const route of other.done) newcomer.done.add(route)
  assert.is((await orgs.getMemberInOrganizationById('acme', 'otto')).data.role, 'read')
})

test('every operation that the client has for these was called', () => {
  const pattern = /^\/orgs\/:organizationId\/(?:members|ping|invites|link-invites|join)(?:\/|$)/
  assert.equal(notDriven(pattern, admin.done, newcomer.done), [])
})

test.run()
