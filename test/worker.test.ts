import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { enqueue } from '../src/queue/enqueue.ts'
import { countJobs } from '../src/store/jobs.ts'
import { sqlRows } from '../src/store/store.ts'
import { type App, startApp } from './support/app.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

const execute = (text: string) => app.ctx.store.run(sqlRows(sql.raw(text)))
const due = () => countJobs(app.ctx.store).find(({ state }) => state === 'dead')?.count ?? 0

test('a job that cannot be claimed now ends neither the server nor the request that made it due', async () => {
  const order = { kind: 'reconcile-space' as const, payload: { spaceId: 'none' }, lane: 'test' }
  enqueue(app.ctx.store, order, new Date(0))
  execute("update job set attempts = 4 where lane = 'test'")
  execute('pragma query_only = on')
  try {
    assert.not.throws(() => app.ctx.wake())
    await new Promise(resolve => setTimeout(resolve, 100))
  } finally {
    execute('pragma query_only = off')
  }
  // It is looked for again.
  for (let tries = 0; due() === 0 && tries < 100; tries++)
    await new Promise(resolve => setTimeout(resolve, 50))
  assert.is(due(), 1)
})

test.run()
