import { GitBookAPIError } from '@gitbook/api'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'

let app: App
let admin: Driven
test.before(async () => {
  app = await startApp()
  admin = clientFor(app, app.admin)
})
test.after(() => app.stop())

/** What the client makes of an answer that is no success. */
async function refused(code: number, call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    assert.instance(error, GitBookAPIError)
    assert.is((error as GitBookAPIError).code, code)
    assert.ok((error as GitBookAPIError).errorMessage.length > 5)
    return
  }
  assert.unreachable(`an answer ${code} was expected`)
}

test('who one is', async () => {
  const { client } = admin
  assert.ok((await client.getApiInformation()).data.version)
  const me = (await client.user.getAuthenticatedUser()).data
  assert.is(me.id, app.admin.id)
  await client.users.updateUserById(me.id, { displayName: 'Ada L.' })
  assert.is((await client.users.getUserById(me.id)).data.displayName, 'Ada L.')
  await refused(404, client.users.getUserById('nobody'))
})

test('organizations', async () => {
  const { client } = admin
  const { items } = (await client.orgs.listOrganizationsForAuthenticatedUser({ limit: 10 })).data
  assert.ok(items.some(one => one.id === 'acme'))
  await client.orgs.updateOrganizationById('acme', {
    title: 'Acme Inc.',
    defaultRole: 'read' as never,
  })
  const organization = (await client.orgs.getOrganizationById('acme')).data

  assert.is(organization.title, 'Acme Inc.')
  assert.is(organization.defaultRole, 'read')
})

test('collections', async () => {
  const { client } = admin
  const parent = (await client.orgs.createCollection('acme', { title: 'Handbooks' })).data
  const child = (await client.orgs.createCollection('acme', { title: 'Sales', parent: parent.id }))
    .data
  assert.is(child.parent, parent.id)
  const all = (await client.orgs.listCollectionsInOrganizationById('acme', { nested: true })).data
  const top = (await client.orgs.listCollectionsInOrganizationById('acme', { nested: false })).data

  assert.is(all.items.length, 2)
  assert.is(top.items.length, 1)
  await client.collections.updateCollectionById(child.id, {
    title: 'Selling',
    defaultLevel: 'read' as never,
  })
  assert.is((await client.collections.getCollectionById(child.id)).data.title, 'Selling')
  await client.collections.moveCollection(child.id, { parent: null })
  assert.is((await client.collections.getCollectionById(child.id)).data.parent, undefined)
  await client.orgs.createSpace('acme', { title: 'Inside', parent: parent.id })
  const inside = (await client.collections.listSpacesInCollectionById(parent.id, { limit: 5 })).data

  assert.is(inside.items[0]?.title, 'Inside')
  await client.collections.deleteCollectionById(child.id)
  await refused(404, client.collections.getCollectionById(child.id))
})

test('spaces', async () => {
  const { client } = admin
  const space = (
    await client.orgs.createSpace('acme', { title: 'Guides', emoji: '📘', language: 'en' as never })
  ).data
  const other = (
    await client.orgs.createSpace('acme', { title: 'Others', editMode: 'live' as never })
  ).data
  assert.is(space.permissions.admin, true)
  assert.ok((await client.orgs.listSpacesInOrganizationById('acme', { limit: 1 })).data.next)
  await client.spaces.updateSpaceById(space.id, {
    title: 'Guide',
    editMode: 'live' as never,
    mergeRules: { type: 'none' },
  })
  assert.is((await client.spaces.getSpaceById(space.id)).data.title, 'Guide')
  const copy = (await client.spaces.duplicateSpace(space.id)).data

  assert.is(copy.title, 'Copy of Guide')
  const position = { before: { type: 'space', space: other.id } } as const

  assert.is((await client.spaces.moveSpace(copy.id, { parent: null, position })).data.id, copy.id)
  await client.spaces.deleteSpaceById(copy.id)
  assert.ok((await client.spaces.getSpaceById(copy.id)).data.deletedAt)
  assert.is((await client.spaces.restoreSpace(copy.id)).data.deletedAt, undefined)
  insertOrganization(app.ctx.store, {
    id: 'umbrella',
    title: 'Umbrella',
    created_at: '2026-01-01T00:00:00.000Z',
  })
  putMember(app.ctx.store, 'umbrella', app.admin.id, 'admin', '2026-01-01T00:00:00.000Z')
  const group = (await client.orgs.createCollection('acme', { title: 'Going' })).data
  const gone = (await client.collections.transferCollection(group.id, { organization: 'umbrella' }))
    .data

  assert.is(gone.organization, 'umbrella')
  const moved = (await client.spaces.transferSpace(copy.id, { organization: 'umbrella' })).data

  assert.is(moved.organization, 'umbrella')
})

test('what may not be done is told to the client', async () => {
  const reader = clientFor(app, app.user('Rita', 'read'))
  const stranger = clientFor(app, app.user('Sam'))
  const space = (await admin.client.orgs.createSpace('acme', { title: 'Closed' })).data
  await refused(403, reader.client.spaces.updateSpaceById(space.id, { title: 'Mine' }))
  await refused(404, stranger.client.spaces.getSpaceById(space.id))
  await refused(400, admin.client.spaces.updateSpaceById(space.id, { title: 'x'.repeat(51) }))
  await refused(
    401,
    clientFor(app, { ...app.admin, token: 'nope' }).client.user.getAuthenticatedUser(),
  )
})

test('every operation that the client has for these was called', () => {
  const pattern =
    /^\/(?:$|user|users|orgs(?:\/:organizationId(?:\/(?:collections|spaces))?)?$|collections(?!.*\/permissions)|spaces\/:spaceId(?:\/(?:duplicate|restore|move|transfer))?$)/
  const left = notDriven(pattern, admin.done)
  assert.equal(left, [])
})

test.run()
