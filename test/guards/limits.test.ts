import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../src/actions/people/create-token.ts'
import { insertOrganization } from '../../src/store/people/organizations.ts'
import { type Actor, actor, startApp } from '../support/app.ts'
import { ask, namesIn, type Operation, operationOf, operations } from './asking.ts'
import { join } from './callers.ts'
import { at } from './rows.ts'
import { type Ids, makeWorld, type World } from './world.ts'
import { changedBetween, readWritten } from './written.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
test.after(() => app.stop())
insertOrganization(app.ctx.store, { id: 'rival', title: 'Rival', created_at: at })
// The user of the tokens is an admin everywhere: only the limits of the tokens apply.
join(app, 'rival', app.admin.id, 'admin')
const here = await makeWorld(app, app.admin, 'acme')
const beside = await makeWorld(app, app.admin, 'acme')
const there = await makeWorld(app, app.admin, 'rival')

/** The admin with a token that is limited to an organization or a space. */
function limitedTo(limit: { organizationId?: string; spaceId?: string }): Actor {
  const { secret } = createToken(
    app.ctx.store,
    { userId: app.admin.id, name: 'limited', ...limit },
    app.ctx.now(),
  )
  return actor(app.url, app.admin.id, secret)
}

const bySpace = limitedTo({ spaceId: here.ids.spaceId as string })
const byOrganization = limitedTo({ organizationId: 'acme' })

/** The path parameters that decide where a path leads. */
const places = new Set(['organizationId', 'spaceId', 'collectionId'])
const leads = (operation: Operation) => namesIn(operation).some(name => places.has(name))

const askIn = (by: Actor, operation: Operation, { ids }: World) => {
  const known: Ids = Object.fromEntries(
    namesIn(operation).map(name => [name, ids[name] ?? 'nothing']),
  )
  return ask(by, operation, here, { ids: known, ...(operation.method !== 'GET' && { body: {} }) })
}

/** The strings that identify a world in an answer. */
const marksOf = ({ ids }: World): string[] => [ids.spaceId as string, ids.collectionId as string]

/**
 * Asserts that all operations that lead into a world answer as if it did not exist, and write
 * nothing. After a write they are called again: jobs write as well.
 */
async function assertOutside(
  by: Actor,
  world: World,
  which: readonly Operation[],
  again = false,
): Promise<void> {
  const before = await readWritten(app, world.ids.spaceId as string)
  for (const operation of which) {
    const reply = await askIn(by, operation, world)
    assert.is(reply.status, 404, `${operation.key}: ${reply.status} ${reply.text.slice(0, 200)}`)
  }
  const wrote = changedBetween(before, await readWritten(app, world.ids.spaceId as string))
  if (wrote.length > 0 && !again) return assertOutside(by, world, which, true)
  assert.equal(wrote, [])
}

test('a token limited to a space reaches no other space and no organization', async () => {
  const which = operations.filter(leads)
  assert.ok(which.length > 150)
  await assertOutside(bySpace, beside, which)
  await assertOutside(bySpace, there, which)
  await assertOutside(
    bySpace,
    here,
    which.filter(({ path }) => !path.includes(':spaceId')),
  )
})

test('a token limited to an organization reaches no other organization', async () => {
  await assertOutside(byOrganization, there, operations.filter(leads))
})

test('operations outside of a place reveal nothing beyond the limit', async () => {
  const reads = operations.filter(each => each.method === 'GET' && !leads(each))
  for (const operation of reads) {
    const { text } = await askIn(byOrganization, operation, here)
    for (const mark of [...marksOf(there), '"rival"'])
      assert.not(text.includes(mark), operation.key)
    const other = await askIn(bySpace, operation, here)
    for (const mark of [...marksOf(there), ...marksOf(beside), '"rival"'])
      assert.not(other.text.includes(mark), operation.key)
  }

  assert.equal((await bySpace.get('/v1/orgs')).body.items, [])
  const organizations = (await byOrganization.get('/v1/orgs')).body.items

  assert.equal(
    organizations.map((each: { id: string }) => each.id),
    ['acme'],
  )
})

test('reads within the limit are answered and reveal nothing beyond it', async () => {
  for (const operation of operations.filter(each => each.method === 'GET' && leads(each))) {
    const full = await askIn(app.admin, operation, here)
    const narrow = await askIn(byOrganization, operation, here)
    assert.is(narrow.status, full.status, operation.key)
    if (!operation.path.includes(':spaceId')) continue
    const narrower = await askIn(bySpace, operation, here)
    assert.is(narrower.status, full.status, operation.key)
    for (const mark of marksOf(beside)) assert.not(narrower.text.includes(mark), operation.key)
  }
})

test('users are visible within the limit', async () => {
  const only = app.user('Only')
  join(app, 'rival', only.id, 'read')
  assert.is((await app.admin.get(`/v1/users/${only.id}`)).status, 200)
  assert.is((await byOrganization.get(`/v1/users/${only.id}`)).status, 404)
  assert.is((await byOrganization.get(`/v1/users/${here.fellow}`)).status, 200)
  assert.is((await bySpace.get(`/v1/users/${here.fellow}`)).status, 404)
  assert.is((await bySpace.get(`/v1/users/${app.admin.id}`)).status, 200)
})

/** Bodies that name a place, and their senders. */
const naming: [by: Actor, operationId: string, body: unknown][] = [
  [byOrganization, 'transferSpace', { organization: 'rival' }],
  [byOrganization, 'transferCollection', { organization: 'rival' }],
  [byOrganization, 'moveSpace', { parent: there.ids.collectionId }],
  [byOrganization, 'createSpace', { parent: there.ids.collectionId }],
  [byOrganization, 'createUserToken', { name: 'more', organization: 'rival' }],
  [byOrganization, 'createUserToken', { name: 'more', space: there.ids.spaceId }],
  [byOrganization, 'updateUserById', { displayName: 'Other' }],
  [bySpace, 'transferSpace', { organization: 'rival' }],
  [bySpace, 'transferSpace', { organization: 'acme' }],
  [bySpace, 'moveSpace', { parent: beside.ids.collectionId }],
  [bySpace, 'moveSpace', { position: { before: { type: 'space', space: beside.ids.spaceId } } }],
  [bySpace, 'duplicateSpace', {}],
  [bySpace, 'createUserToken', { name: 'more', organization: 'acme' }],
  [bySpace, 'createUserToken', { name: 'more', space: beside.ids.spaceId }],
  [bySpace, 'updateUserById', { displayName: 'Other' }],
]

for (const [by, operationId, body] of naming)
  test(`${by === bySpace ? 'space' : 'organization'}: ${operationId} ${JSON.stringify(body)} is refused`, async () => {
    const operation = operationOf(operationId) as Operation
    const before = await readWritten(app, here.ids.spaceId as string)
    const reply = await ask(by, operation, here, { body })
    assert.ok([400, 403, 404].includes(reply.status), `${reply.status} ${reply.text.slice(0, 200)}`)
    assert.equal(changedBetween(before, await readWritten(app, here.ids.spaceId as string)), [])
  })

test('a space-limited token works within its space, also for writes', async () => {
  const made = await bySpace.post(`/v1/spaces/${here.ids.spaceId}/change-requests`, {
    subject: 'Inside',
  })
  assert.is(made.status, 201)
})

test.run()
