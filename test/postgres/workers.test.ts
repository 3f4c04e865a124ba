import { sql } from 'kysely'
import { pino } from 'pino'
import * as assert from 'uvu/assert'
import { leaseMs } from '../../src/store/events/jobs.ts'
import { query, sqlRows } from '../../src/store/store.ts'
import { Worker } from '../../src/worker.ts'
import { openReceiver } from '../support/http/receiver.ts'
import { until } from '../support/until.ts'
import { type Nodes, startNodes } from './nodes.ts'
import { postgresSuite } from './suite.ts'

const hour = 3_600_000
let nodes: Nodes
const test = postgresSuite(
  'workers of two nodes',
  async () => {
    nodes = await startNodes({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
  },
  () => nodes?.stop(),
)

const jobsIn = (lane: string) =>
  nodes.a.ctx.store.all(query.selectFrom('job').selectAll().where('lane', '=', lane))

test('one that starts leaves the jobs of others running', async () => {
  const { store } = nodes.a.ctx
  store.run(
    sqlRows(sql`
      insert into job (id, kind, lane, payload, state, run_at, owner, created_at, leased_until)
      values ('other', 'tidy', 'other', '{}', 'running', 0, 'other', '', ${Date.now() + hour})`),
  )
  const worker = new Worker(() => nodes.b.ctx)
  worker.start()
  await worker.stop()
  assert.equal(
    jobsIn('other').map(({ owner, state }) => [owner, state]),
    [['other', 'running']],
  )
})

test('one that was frozen records nothing of a job that another one, an hour ahead, has taken over', async () => {
  const { a, b } = nodes
  const receiver = await openReceiver()
  const held: (() => void)[] = []
  receiver.answer = response => held.push(() => response.writeHead(204).end())
  const hook = { url: receiver.url, events: ['*'], secret: 'a secret of the receiver' }
  const { id } = (await a.admin.post('/v1/orgs/acme/webhooks', hook)).body
  const lane = `webhook ${id}`
  const deliveries = () =>
    a.ctx.store.all(query.selectFrom('webhook_delivery').selectAll().where('webhook_id', '=', id))
  const { now } = b.ctx
  const { log } = a.ctx
  const lines: string[] = []

  Object.assign(b.ctx, { now: () => new Date(Date.now() + hour) })
  Object.assign(a.ctx, { log: pino({ level: 'warn' }, { write: line => void lines.push(line) }) })

  try {
    assert.is((await a.admin.post(`/v1/orgs/acme/webhooks/${id}/ping`)).status, 202)
    await receiver.until(1)
    const [{ owner } = { owner: '' }] = jobsIn(lane)
    b.ctx.wake()
    // The connection of the queue answers in turn: what is due has been told.
    await b.ctx.store.gate?.pass()
    assert.is(jobsIn(lane)[0]?.owner, owner)

    a.ctx.store.run(sqlRows(sql`update job set leased_until = 0 where lane = ${lane}`))
    b.ctx.wake()
    await receiver.until(2)
    assert.is.not(jobsIn(lane)[0]?.owner, owner)

    const connections = held.splice(0)
    connections[0]?.()
    await until('the frozen node ends its run', () =>
      lines.some(line => line.includes('took it over')) ? true : undefined,
    )
    assert.equal(
      deliveries().map(({ state, attempts }) => [state, attempts]),
      [['waiting', 0]],
    )
    connections[1]?.()
    await until('the other node ends the job', () => (jobsIn(lane).length === 0 ? true : undefined))
    assert.equal(
      deliveries().map(({ state, attempts }) => [state, attempts]),
      [['success', 1]],
    )
  } finally {
    Object.assign(b.ctx, { now })
    Object.assign(a.ctx, { log })
    await receiver.stop()
  }
})

test('one that could not reach the database lets other owners renew their leases first', async () => {
  const { a, b, cluster } = nodes
  const both = [a, b]
  const logs = both.map(({ ctx }) => ctx.log)
  const lines = both.map(({ ctx }): string[] => {
    const lines: string[] = []
    Object.assign(ctx, { log: pino({ level: 'error' }, { write: line => void lines.push(line) }) })
    return lines
  })
  const monotonic = performance.now
  const before = performance.now()
  const lane = 'outage'
  const wakeBoth = async () => {
    for (const { ctx } of both) ctx.wake()
    for (const { ctx } of both) await ctx.store.gate?.pass()
  }

  try {
    const ended = new Promise(resolve => cluster.process.once('exit', resolve))
    cluster.process.kill('SIGINT')
    await ended
    for (const [at, { ctx }] of both.entries()) {
      ctx.wake()
      await until('a worker meets the failure', () =>
        lines[at]?.some(line => line.includes('jobs cannot be claimed')) ? true : undefined,
      )
    }
    await cluster.start()
    for (const { url } of both)
      await until('a node reaches the database', async () =>
        (await fetch(`${url}/readyz`)).status === 200 ? true : undefined,
      )

    performance.now = () => before
    a.ctx.store.run(
      sqlRows(sql`
        insert into job (id, kind, lane, payload, state, run_at, owner, created_at, leased_until)
        values ('left', 'tidy', ${lane}, '{}', 'running', 0, 'gone', '', 1)`),
    )
    await wakeBoth()
    assert.is(jobsIn(lane)[0]?.owner, 'gone')

    performance.now = () => monotonic.call(performance) + leaseMs
    await wakeBoth()
    await until('a worker takes the job over', () =>
      jobsIn(lane)[0]?.owner === 'gone' ? undefined : true,
    )
  } finally {
    performance.now = monotonic
    for (const [at, { ctx }] of both.entries()) Object.assign(ctx, { log: logs[at] })
  }
})

test.run()
