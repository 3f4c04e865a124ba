import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { ask, operationOf } from './asking.ts'
import { columns, makeCallers } from './callers.ts'
import { calls } from './calls/all.ts'
import { readTable } from './table.ts'
import { makeReader, makeWorld } from './world.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
test.after(() => app.stop())
const members = makeCallers(app)
const world = await makeWorld(app, app.admin, 'acme')
const callers = { ...members, reader: await makeReader(world) }

/** Lists that had more than one item to divide. */
let divided = 0

for (const { name, operationId, cells } of readTable()) {
  const operation = operationOf(operationId)
  const column = [...columns].reverse().find(each => cells[each] === 'ok')
  const query = operation?.endpoint.query as { shape?: Record<string, unknown> } | undefined
  if (operation?.method !== 'GET' || !column || !query?.shape?.limit) continue
  test(`${name} counts the items of a page of one`, async () => {
    const actor = callers[column]
    const sent = (await calls[name]?.make(world, { column, actor })) ?? {}
    const limited = `${sent.query ? `${sent.query}&` : '?'}limit=1`
    const { status, body, text } = await ask(actor, operation, world, { ...sent, query: limited })
    calls[name]?.after?.(world)

    assert.is(status, 200, text)
    if (!('count' in body)) return
    assert.ok(body.items.length <= 1, text)
    assert.is(body.count, body.items.length)
    if (body.next) divided++
  })
}

test('there was something to divide', () => assert.ok(divided >= 10, String(divided)))

test.run()
