import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { anyone, self } from '../../src/access/guards/self.ts'
import { sharingOrganization } from '../../src/access/guards/user.ts'
import { createToken } from '../../src/actions/people/create-token.ts'
import { deleteMember } from '../../src/store/people/members.ts'
import { actor, startApp } from '../support/app.ts'
import { ask, type Operation, operationOf, operations } from './asking.ts'
import { join, makeCallers } from './callers.ts'
import { calls } from './calls/all.ts'
import { quietState, serveBetween } from './taken-away.ts'
import { makeWorld } from './world.ts'
import { changedBetween, readWritten, type Written } from './written.ts'

/**
 * Operations that write although the caller's role was taken away after the guard: they do not end
 * with `inTransaction`, and the action that writes does not check the role again.
 */
const unchecked = new Set<string>([])

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true', STEMMA_MAX_SPACES_PER_DAY: '0' })
makeCallers(app)
const world = await makeWorld(app, app.admin, 'acme')

const rose = app.user('Rose', 'admin')
join(app, 'beta', rose.id, 'create')
const { secret } = createToken(app.ctx.store, { userId: rose.id, name: 'between' }, app.ctx.now())

let early = false
let spaceId = ''
/**
 * The written state right after the role was taken away; undefined while nothing was taken away.
 */
let before: Written | undefined
const served = await serveBetween(app, () => ({
  early,
  run: async () => {
    deleteMember(app.ctx.store, 'acme', rose.id, app.ctx.now().toISOString())
    before = await quietState(app, spaceId)
  },
}))
test.after(async () => {
  await served.stop()
  await app.stop()
})
const caller = actor(served.url, rose.id, secret)

/**
 * Calls an operation as an admin who is removed from the organization after the guard: before the
 * handler (early), or between the handler and the transaction of `inTransaction` (late).
 */
async function callAs(operation: Operation, when: 'early' | 'late') {
  const { operationId } = operation.endpoint
  const call = calls[operationId]
  join(app, 'acme', rose.id, 'admin')
  const sent = (await call?.make(world, { column: 'owner', actor: rose })) ?? {}

  early = when === 'early'
  spaceId = sent.ids?.spaceId ?? (world.ids.spaceId as string)
  before = undefined
  const reply = await ask(caller, operation, world, sent)
  const wrote = before ? changedBetween(before, await readWritten(app, spaceId)) : undefined

  call?.after?.(world)

  return { reply, wrote }
}

/** The guards that ask for no role. */
const roleless = new Set<unknown>([anyone, self, sharingOrganization])

const writes = operations.filter(
  ({ method, endpoint }) => method !== 'GET' && !roleless.has(endpoint.access),
)

for (const operation of writes) {
  const { operationId } = operation.endpoint
  test(`${operationId} writes nothing when the role is taken away after the guard`, async () => {
    const late = await callAs(operation, 'late')
    if (late.wrote) {
      assert.equal(late.wrote, [], late.reply.text)
      // A delete also succeeds without anything that the caller may see.
      if (operation.method !== 'DELETE') assert.ok(late.reply.status >= 400, late.reply.text)
      return
    }

    assert.ok(late.reply.status < 300, late.reply.text)
    const early = await callAs(operation, 'early')

    assert.is((early.wrote as string[]).length > 0, unchecked.has(operationId), early.reply.text)
  })
}

test('every operation without a second check exists', () => {
  for (const operationId of unchecked) assert.ok(operationOf(operationId), operationId)
})

test.run()
