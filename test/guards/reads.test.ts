import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { sqlRows } from '../../src/store/store.ts'
import { startApp } from '../support/app.ts'
import { commitFiles } from '../support/git/repo.ts'
import { ask, operationOf } from './asking.ts'
import { columns, makeCallers } from './callers.ts'
import { calls } from './calls/all.ts'
import { readTable } from './table.ts'
import { watchTables } from './watch-tables.ts'
import { makeReader, makeWorld, must } from './world.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
test.after(() => app.stop())
const members = makeCallers(app)
const world = await makeWorld(app, app.admin, 'acme')
const callers = { ...members, reader: await makeReader(world) }

const all = <Row>(text: string) => app.ctx.store.all(sqlRows<Row>(sql.raw(text)))
const run = (text: string) => app.ctx.store.run(sqlRows(sql.raw(text)))

/** What a read may derive from Git, once. */
const derived = new Set([
  'blob_facts',
  'blob_links',
  'blob_media',
  'search_space',
  'search_page',
  'search_sections',
  'search_weights',
])

/**
 * Returns the tables written since the last call, once no job is running or due within a minute.
 */
async function takeWritten(): Promise<string[]> {
  const due = () =>
    all(`select id from job where state <> 'dead' and run_at <= ${Date.now() + 60_000}`)
  // An index waits for a second for more changes.
  run(`update job set run_at = 0 where state = 'waiting' and run_at <= ${Date.now() + 60_000}`)
  app.ctx.wake()
  for (let waited = 0; due().length > 0; waited++) {
    if (waited > 6000) throw new Error(`Jobs do not end: ${JSON.stringify(due())}`)
    await setTimeout(10)
  }

  return takeNames()
}

// It makes the keys of the organization.
await must(app.admin, 'POST', '/orgs/acme/ping')
const takeNames = watchTables(app, { reads: true })

for (const { name, operationId, cells } of readTable()) {
  const operation = operationOf(operationId)
  const column = [...columns].reverse().find(each => cells[each] === 'ok')
  if (operation?.method !== 'GET' || !column) continue
  test(`${name} writes no row that is not derived, and none at all when it is repeated`, async () => {
    const asker = callers[column]
    const sent = (await calls[name]?.make(world, { column, actor: asker })) ?? {}
    await takeWritten()
    app.ctx.caches.clear()
    const reply = await ask(asker, operation, world, sent)

    assert.ok(reply.status < 400, reply.text)
    const first = await takeWritten()

    assert.equal(
      first.filter(table => !derived.has(table)),
      [],
    )

    for (const isCold of [true, false]) {
      if (isCold) app.ctx.caches.clear()
      assert.ok((await ask(asker, operation, world, sent)).status < 400)
      assert.equal(await takeWritten(), [], isCold ? 'with empty caches' : 'with full caches')
    }

    calls[name]?.after?.(world)
  })
}

test('a push is recorded by the first read after it', async () => {
  const { spaceId } = world.ids as { spaceId: string }
  const repo = spaceRepository(app.ctx, spaceId)
  await commitFiles(repo, { 'pushed.md': '# Pushed\n' })
  const read = async () => {
    assert.is((await app.admin.get(`/v1/spaces/${spaceId}/content/pages`)).status, 200)
    return takeWritten()
  }

  assert.ok((await read()).includes('ref'))
  assert.equal(await read(), [])
})

test.run()
