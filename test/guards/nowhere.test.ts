import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { ask, namesIn, type Operation, operations } from './asking.ts'
import { makeCallers } from './callers.ts'
import { calls } from './calls/all.ts'
import { readTable } from './table.ts'
import { makeWorld } from './world.ts'
import { changedBetween, readWritten } from './written.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
test.after(() => app.stop())
const { elsewhere, owner, none } = makeCallers(app)
const here = await makeWorld(app, owner, 'acme')
const beside = await makeWorld(app, owner, 'acme')
const there = await makeWorld(app, elsewhere, 'rival')

/** Ids in the form that ours have, of nothing. */
const nothing = (name: string) => (name === 'revisionId' ? '1'.repeat(40) : 'nothingThatIsThere00')

/** What is no thing of one space: people, and names that several spaces may have. */
const ofNoSpace = new Set(['userId', 'teamId', 'pagePath'])

/** What anybody may ask, also for another organization. */
const forAll = new Set(
  readTable()
    .filter(({ cells }) => cells.none === 'ok')
    .map(({ operationId }) => operationId),
)

const sentTo = async ({ endpoint }: Operation, world = here) =>
  (await calls[endpoint.operationId]?.make(world, { column: 'owner', actor: world.by })) ?? {}

/** Where nothing is to be deleted, it is gone already; all else is not there. Nothing is written. */
async function notThere(operation: Operation, ids: Record<string, string>, what: string): Promise<void> {
  const sent = await sentTo(operation)
  const asked = { ...sent, ids: { ...sent.ids, ...ids } }
  const before = await readWritten(app, here.ids.spaceId as string)
  const anonymous = await ask(none, operation, here, asked)
  const { status, text } = await ask(owner, operation, here, asked)
  const deleted = operation.method === 'DELETE' && status === 204
  const open = forAll.has(operation.endpoint.operationId)
  assert.ok(
    status === 404 || deleted || (open && status < 300),
    `${operation.key} with ${what} answered ${status} ${text.slice(0, 300)}`,
  )
  assert.ok(
    anonymous.status === 401 || open,
    `${operation.key} with ${what} answered ${anonymous.status} to nobody`,
  )
  assert.equal(
    changedBetween(before, await readWritten(app, here.ids.spaceId as string)),
    [],
    `${operation.key} with ${what} wrote`,
  )
}

for (const operation of operations.filter(each => namesIn(each).length > 0)) {
  test(`${operation.endpoint.operationId}: what is not there, and what is another organization's`, async () => {
    const foreign = { ...there.ids, ...(await sentTo(operation, there)).ids }
    for (const name of namesIn(operation)) {
      await notThere(operation, { [name]: nothing(name) }, `no ${name}`)
      await notThere(operation, { [name]: foreign[name] as string }, `a foreign ${name}`)
    }
  })
}

for (const operation of operations.filter(({ path }) => /^\/spaces\/:spaceId\/.*[:*]/.test(path))) {
  test(`${operation.endpoint.operationId}: what is another space's`, async () => {
    const others = { ...beside.ids, ...(await sentTo(operation, beside)).ids }
    for (const name of namesIn(operation).slice(1))
      if (!ofNoSpace.has(name))
        await notThere(operation, { [name]: others[name] as string }, `the ${name} of another space`)
  })
}

test.run()
