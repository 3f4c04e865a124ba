import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { enqueue } from '../src/queue/enqueue.ts'
import { countJobs } from '../src/store/jobs.ts'
import { sqlRows } from '../src/store/store.ts'
import type { App } from './support/app.ts'
import { cpuTime } from './support/cpu-time.ts'
import { openReceiver } from './support/receiver.ts'
import { openSyncBench, type SyncBench } from './support/remote.ts'

let app: App
let bench: SyncBench

test.before(async () => {
  bench = await openSyncBench()
  app = bench.app
})
test.after(() => bench.stop())

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

test('a job whose end cannot be written now is ended as soon as it can, and is not run again and again', async () => {
  const receiver = await openReceiver()
  receiver.answer = response => {
    if (receiver.received.length === 1) execute('pragma query_only = on')
    response.end()
  }
  const hooks = '/v1/orgs/acme/webhooks'
  const hook = { url: receiver.url, events: ['*'], secret: 'a secret of the receiver' }
  const { id } = (await app.admin.post(hooks, hook)).body
  const jobs = () =>
    app.ctx.store.all(
      sqlRows<{ state: string }>(
        sql`select state from job where kind = 'deliver-webhook' and state <> 'dead'`,
      ),
    )
  try {
    assert.is((await app.admin.post(`${hooks}/${id}/ping`)).status, 202)
    await receiver.until(1)
    const before = cpuTime()
    await new Promise(resolve => setTimeout(resolve, 1500))
    assert.ok(cpuTime() - before < 700, `${cpuTime() - before} ms of work while nothing can be written`)
    assert.equal(jobs(), [{ state: 'running' }])
  } finally {
    execute('pragma query_only = off')
  }
  for (let tries = 0; jobs().length > 0 && tries < 300; tries++)
    await new Promise(resolve => setTimeout(resolve, 50))
  assert.equal(jobs(), [])
  await app.admin.delete(`${hooks}/${id}`)
  await receiver.stop()
})

test('hosts that say nothing do not keep the imports of other spaces waiting', async () => {
  bench.remote('whole', { 'README.md': '# Handbook\n' })
  bench.host.mode = ({ url }, response) => {
    if (url?.startsWith('/whole')) return true
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).flushHeaders()
    return undefined
  }
  const silent = { url: `${bench.host.origin}/silent.git`, ref: 'refs/heads/main' }
  for (let i = 0; i < 3; i++) {
    const reply = await app.admin.post(`/v1/spaces/${await bench.space()}/git/import`, silent)
    assert.is(reply.status, 204, reply.text)
  }
  const url = `${bench.host.origin}/whole.git`
  const done = await bench.sync('import', await bench.space(), { url, ref: 'refs/heads/main' })
  assert.is(done.state, 'success')
  const running = countJobs(app.ctx.store).find(({ state }) => state === 'running')
  assert.ok(running && running.count >= 3, 'those that say nothing still run')
})

test('webhooks that hang hold up no import, and no more than their places', async () => {
  const receiver = await openReceiver()
  receiver.answer = () => {}
  const hooks = '/v1/orgs/acme/webhooks'
  const secret = 'a secret of the receiver'
  for (let i = 0; i < 20; i++) {
    const made = await app.admin.post(hooks, { url: `${receiver.url}/${i}`, events: ['*'], secret })
    assert.is((await app.admin.post(`${hooks}/${made.body.id}/ping`)).status, 202, made.text)
  }
  await receiver.until(4)
  bench.host.mode = () => true
  bench.remote('beside', { 'README.md': '# Handbook\n' })
  const url = `${bench.host.origin}/beside.git`
  const begun = Date.now()
  const done = await bench.sync('import', await bench.space(), { url, ref: 'refs/heads/main' })
  assert.is(done.state, 'success')
  assert.ok(Date.now() - begun < 20_000, `${Date.now() - begun} ms`)
  const running = app.ctx.store.all(
    sqlRows<{ lane: string }>(sql`select lane from job where state = 'running' and kind = 'deliver-webhook'`),
  )
  assert.is(new Set(running.map(({ lane }) => lane)).size, running.length, 'one a webhook')
  assert.ok(running.length <= 4, `${running.length} run`)
  await receiver.stop()
})

test.run()
