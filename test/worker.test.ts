import { readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../src/actions/repositories/space-repository.ts'
import { jobs } from '../src/jobs/all.ts'
import { enqueue } from '../src/queue/enqueue.ts'
import { DatabaseError } from '../src/store/engine/driver.ts'
import { countJobs, mostStarts } from '../src/store/events/jobs.ts'
import { insertDelivery } from '../src/store/events/webhook-deliveries.ts'
import { listGitSyncRuns } from '../src/store/git/git-sync.ts'
import { sqlRows } from '../src/store/store.ts'
import type { Actor, App, Reply } from './support/app.ts'
import { collectGarbage, cpuTime } from './support/cpu-time.ts'
import { crowdObjects } from './support/git/crowd-objects.ts'
import { droning, homeEntries, sendingPack } from './support/git/raw-pack.ts'
import { openSyncBench, type SyncBench } from './support/git/remote.ts'
import { openReceiver } from './support/http/receiver.ts'

let app: App
let bench: SyncBench

test.before(async () => {
  bench = await openSyncBench()
  app = bench.app
})
test.after(() => bench.stop())

const execute = (text: string) => app.ctx.store.run(sqlRows(sql.raw(text)))
const due = () => countJobs(app.ctx.store).find(({ state }) => state === 'dead')?.count ?? 0

test('a job that cannot be claimed ends neither the server nor the request that enqueued it', async () => {
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

  // The worker looks for it again.
  for (let tries = 0; due() === 0 && tries < 1000; tries++)
    await new Promise(resolve => setTimeout(resolve, 50))
  assert.is(due(), 1)
})

test('a job whose end cannot be recorded is recorded later, and does not run again', async () => {
  const receiver = await openReceiver()
  receiver.answer = response => {
    if (receiver.received.length === 1) execute('pragma query_only = on')
    response.end()
  }
  const hooks = '/v1/orgs/acme/webhooks'
  const hook = { url: receiver.url, events: ['*'], secret: 'a secret of the receiver' }
  const { id } = (await app.admin.post(hooks, hook)).body
  const waiting = () =>
    app.ctx.store.all(
      sqlRows<{ state: string }>(
        sql`select state from job where kind = 'deliver-webhook' and state <> 'dead'`,
      ),
    )

  try {
    assert.is((await app.admin.post(`${hooks}/${id}/ping`)).status, 202)
    await receiver.until(1)
    collectGarbage()
    const before = cpuTime()

    await new Promise(resolve => setTimeout(resolve, 1500))
    assert.ok(
      cpuTime() - before < 700,
      `${cpuTime() - before} ms of work while nothing can be written`,
    )
    assert.equal(waiting(), [{ state: 'running' }])
  } finally {
    execute('pragma query_only = off')
  }

  for (let tries = 0; waiting().length > 0 && tries < 1000; tries++) {
    // Jobs that failed because the disk was full would wait half a minute.
    execute("update job set run_at = 0 where kind = 'deliver-webhook' and state = 'waiting'")
    app.ctx.wake()
    await new Promise(resolve => setTimeout(resolve, 50))
  }

  assert.equal(waiting(), [])
  await app.admin.delete(`${hooks}/${id}`)
  await receiver.stop()
})

test('a job that was started many times and never ended is not started again', async () => {
  const receiver = await openReceiver()
  const hook = { url: receiver.url, events: ['*'], secret: 'a secret of the receiver' }
  const { id } = (await app.admin.post('/v1/orgs/acme/webhooks', hook)).body
  const { store, now } = app.ctx
  const lane = `webhook ${id}`
  const order = { kind: 'deliver-webhook' as const, payload: { webhookId: id }, lane, key: id }
  const job = () =>
    store.get(
      sqlRows<{ state: string; error: string }>(sql`select * from job where lane = ${lane}`),
    )
  const delivery = { webhook_id: id, event_id: 'e', event: 'ping', payload: '{}' }

  store.transact(() => {
    insertDelivery(store, { id: 'd', ...delivery, created_at: now().toISOString() })
    enqueue(store, order, now())
    store.run(sqlRows(sql`update job set attempts = ${mostStarts} where lane = ${lane}`))
  })
  for (let tries = 0; job()?.state !== 'dead' && tries < 3000; tries++)
    await new Promise(resolve => setTimeout(resolve, 20))
  assert.match(job()?.error ?? '', /never finished/)
  assert.is(receiver.received.length, 0)
  await app.admin.delete(`/v1/orgs/acme/webhooks/${id}`)
  await receiver.stop()
})

test('a job that finds the disk full is not abandoned', async () => {
  const { store, now } = app.ctx
  const lane = 'no room'
  const at = now()
  const job = () =>
    store.get(
      sqlRows<{ state: string; attempts: number; run_at: number; error: string }>(
        sql`select * from job where lane = ${lane}`,
      ),
    )

  // The first read of the job fails because the disk is full.
  const full = new DatabaseError('full', 'database or disk is full')
  const get = store.get.bind(store)

  Object.assign(store, {
    get: (built: Parameters<typeof get>[0]) => {
      if (built.compile().sql.includes('from "webhook"')) throw full
      return get(built)
    },
  })

  try {
    store.transact(() => {
      enqueue(store, { kind: 'deliver-webhook', payload: { webhookId: 'none' }, lane }, at)
      store.run(sqlRows(sql`update job set attempts = 4 where lane = ${lane}`))
    })
    for (let tries = 0; !job()?.error && tries < 3000; tries++)
      await new Promise(resolve => setTimeout(resolve, 20))
  } finally {
    Object.assign(store, { get })
  }

  const { state, attempts, run_at } = job() ?? {}

  assert.equal({ state, attempts }, { state: 'waiting', attempts: 4 })
  assert.ok((run_at ?? 0) > at.getTime() + 20_000, 'the retry is delayed')
  execute(`delete from job where lane = '${lane}'`)
})

test('the daily upkeep packs a space that has become slow and leaves others unchanged', async () => {
  const [slow, other] = [await bench.space(), await bench.space()]
  const content = (space: string) => `/v1/spaces/${space}/content`
  const page = { operation: 'insert_page', title: 'A page', document: { markdown: 'Words.\n' } }
  for (const space of [slow, other])
    assert.is((await app.admin.post(content(space), { changes: [page] })).status, 200)
  const packs = (space: string) =>
    readdirSync(join(spaceRepository(app.ctx, space).dir, 'objects/pack')).filter(name =>
      /\.pack$/.test(name),
    )
  const blobs = crowdObjects(spaceRepository(app.ctx, slow).dir)

  await jobs.tidy!(app.ctx, {}, { signal: new AbortController().signal, attempt: 1 })
  assert.is(packs(slow).length, 1)
  assert.is(packs(other).length, 0)
  for (const [blob, text] of blobs) assert.is(bench.git(slow, 'cat-file', 'blob', blob), text)
  assert.match((await app.admin.get(`${content(slow)}/pages`)).text, /A page/)
  assert.is((await app.admin.post(content(slow), { changes: [page] })).status, 200)
})

test('unresponsive hosts do not delay imports of other spaces', async () => {
  bench.remote('whole', { 'README.md': '# Handbook\n' })
  const silenced: ServerResponse[] = []

  bench.host.mode = ({ url }, response) => {
    if (url?.startsWith('/whole')) return true
    silenced.push(response)
    response
      .writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
      .flushHeaders()
    return undefined
  }
  const silent = { url: `${bench.host.origin}/silent.git`, ref: 'refs/heads/main' }

  for (let i = 0; i < 3; i++) {
    const user = app.user(`Silent${i}`, 'create')
    const reply = await user.post(`/v1/spaces/${await bench.space()}/git/import`, silent)
    assert.is(reply.status, 204, reply.text)
  }

  const url = `${bench.host.origin}/whole.git`
  const done = await bench.sync('import', await bench.space(), { url, ref: 'refs/heads/main' })

  assert.is(done.state, 'success')
  const running = countJobs(app.ctx.store).find(({ state }) => state === 'running')

  assert.ok(running && running.count >= 3, 'the imports from unresponsive hosts still run')
  // Their time limit would delay the tests that follow.
  for (const response of silenced) response.destroy()
})

/** Polls the path until its body satisfies the predicate. */
async function settled(
  by: Actor,
  path: string,
  is: (body: Reply['body']) => boolean,
): Promise<Reply['body']> {
  for (let tries = 0; tries < 1_000; tries++) {
    const { body } = await by.get(path)
    if (is(body)) return body
    await new Promise(resolve => setTimeout(resolve, 30))
  }
  throw new Error(`${path} does not settle`)
}

const runningLanes = () =>
  app.ctx.store
    .all(
      sqlRows<{ lane: string }>(
        sql`select lane from job where state = 'running' and kind <> 'deliver-webhook'`,
      ),
    )
    .map(({ lane }) => lane)

test('six slow hosts of one member do not delay other members', async () => {
  const greedy = app.user('Greta', 'create')
  bench.remote('prompt', { 'README.md': '# Handbook\n' })
  bench.host.mode = (request, response) => {
    if (!request.url?.startsWith('/drip')) return true
    return sendingPack(homeEntries().commit, droning())(request, response)
  }
  const drip = { url: `${bench.host.origin}/drip.git`, ref: 'refs/heads/main' }
  const spaces = await Promise.all(Array.from({ length: 6 }, () => bench.space()))

  for (let i = 0; i < 60; i++) {
    const reply = await greedy.post(`/v1/spaces/${spaces[i % 6]}/git/import`, drip)
    assert.is(reply.status, 204, reply.text)
  }

  const over = await greedy.post(`/v1/spaces/${await bench.space()}/git/import`, drip)

  assert.is(over.status, 429)
  assert.ok(over.headers.get('retry-after'))

  for (
    let tries = 0;
    bench.host.requests.filter(({ method }) => method === 'POST').length < 2;
    tries++
  ) {
    assert.ok(tries < 1_000, 'both drip')
    await new Promise(resolve => setTimeout(resolve, 30))
  }

  const local = { kind: 'tidy' as const, payload: {}, lane: 'local work' }

  enqueue(app.ctx.store, local, new Date(0))
  app.ctx.wake()
  const other = app.user('Olga', 'create')
  const source = {
    text: JSON.stringify({ openapi: '3.0.0', info: { title: 'T', version: '1' }, paths: {} }),
  }
  const made = await other.post('/v1/orgs/acme/openapi', { slug: 'prompt', source })

  assert.is(made.status, 201, made.text)
  const url = `${bench.host.origin}/prompt.git`
  const done = await bench.sync('import', await bench.space(), { url, ref: 'refs/heads/main' })

  assert.is(done.state, 'success')
  await settled(
    other,
    '/v1/orgs/acme/openapi/prompt',
    ({ processingState }) => processingState === 'complete',
  )

  for (
    let tries = 0;
    app.ctx.store.get(sqlRows(sql`select 1 from job where lane = 'local work'`));
    tries++
  ) {
    assert.ok(tries < 1_000, 'local work is done')
    await new Promise(resolve => setTimeout(resolve, 30))
  }

  assert.equal(
    runningLanes().filter(lane => spaces.some(space => lane.endsWith(space))).length,
    2,
    'exactly two imports of the member run',
  )
})

test('hanging webhooks delay no import and take no more than their own slots', async () => {
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
  const space = await bench.space()
  const done = await bench.sync('import', space, { url, ref: 'refs/heads/main' })

  assert.is(done.state, 'success')
  const [row] = listGitSyncRuns(app.ctx.store, space, 1)
  const [asked, begun] = [row!.created_at, row!.started_at!].map(Date.parse) as [number, number]
  const meanwhile = receiver.received.filter(({ at }) => at > asked && at < begun)

  assert.ok(meanwhile.length <= 8, `${meanwhile.length} were sent before it began`)
  const running = app.ctx.store.all(
    sqlRows<{ lane: string }>(
      sql`select lane from job where state = 'running' and kind = 'deliver-webhook'`,
    ),
  )

  assert.is(
    new Set(running.map(({ lane }) => lane)).size,
    running.length,
    'one delivery per webhook',
  )
  assert.ok(running.length <= 4, `${running.length} run`)
  await receiver.stop()
})

test.run()
