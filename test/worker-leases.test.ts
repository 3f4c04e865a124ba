import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../src/config.ts'
import { JumpWatch } from '../src/lib/clock.ts'
import { metricsText } from '../src/metrics.ts'
import { openContext } from '../src/open.ts'
import { enqueue } from '../src/queue/enqueue.ts'
import { leaseMs } from '../src/store/events/jobs.ts'
import { sqlRows } from '../src/store/store.ts'
import type { JobRow } from '../src/store/tables/rows.ts'
import { Worker } from '../src/worker.ts'
import { startApp } from './support/app.ts'
import { openReceiver } from './support/http/receiver.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
test.after(() => app.stop())

/** A logger and the lines written to it. */
function listen() {
  const lines: { level: number; msg: string; job?: string; id?: string; minutes?: number }[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  return { log: pino(stream), lines }
}

const jobIn = (lane: string) =>
  app.ctx.store.get(sqlRows<JobRow>(sql`select * from job where lane = ${lane}`))

/** Waits until the condition holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 1_500) throw new Error('It never holds.')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

test('a server waits for the lease of another worker, then runs its job and those behind it', async () => {
  const { store, now, wake } = app.ctx
  const order = { kind: 'tidy' as const, payload: {}, lane: 'left' }
  store.transact(() => {
    enqueue(store, order, now())
    const leased = now().getTime() + leaseMs
    store.run(
      sqlRows(sql`
        update job set state = 'running', owner = 'gone', attempts = 1, leased_until = ${leased}
        where lane = 'left'`),
    )
    enqueue(store, order, now())
  })
  wake()
  const jobs = () =>
    store.all(sqlRows<JobRow>(sql`select * from job where lane = 'left' order by seq`))

  assert.equal(
    jobs().map(({ state, owner }) => [state, owner]),
    [
      ['running', 'gone'],
      ['waiting', null],
    ],
  )
  const id = jobs()[0]?.id as string

  store.run(sqlRows(sql`update job set leased_until = ${now().getTime()} where id = ${id}`))
  wake()
  await until(() => jobs()[0]?.owner !== 'gone')
  await until(() => jobs().length === 0)
})

test('a worker that may not judge leases yet looks again once it may', async () => {
  const { log } = listen()
  const folder = await mkdtemp(join(tmpdir(), 'stemma-test-'))
  const ctx = openContext(readConfig({ STEMMA_DATA: folder }), log)
  let wall = Date.now()
  const clock = new JumpWatch(
    () => wall,
    () => 0,
  )
  const worker = new Worker(() => ctx, clock)
  const { setTimeout } = globalThis
  const sleeps: (number | undefined)[] = []

  try {
    enqueue(ctx.store, { kind: 'tidy', payload: {}, lane: 'left' }, ctx.now())
    ctx.store.run(sqlRows(sql`update job set state = 'running', owner = 'gone', leased_until = 1`))
    wall += 86_400_000
    const counted = (act: () => void, ms?: number) => {
      sleeps.push(ms)
      return setTimeout(act, ms)
    }
    globalThis.setTimeout = counted as typeof setTimeout
    worker.wake()
  } finally {
    globalThis.setTimeout = setTimeout
    await worker.stop()
    ctx.close()
    await rm(folder, { recursive: true })
  }

  assert.equal(sleeps, [leaseMs])
})

test('a job taken over by a second worker is ended by it alone, and reported once while it hangs', async () => {
  const receiver = await openReceiver()
  const held: (() => void)[] = []
  receiver.answer = response => held.push(() => response.writeHead(204).end())
  const hook = { url: receiver.url, events: ['*'], secret: 'a secret of the receiver' }
  const { id } = (await app.admin.post('/v1/orgs/acme/webhooks', hook)).body
  const lane = `webhook ${id}`
  const [first, second] = [listen(), listen()]

  Object.assign(app.ctx, { log: first.log })
  const rival = openContext(app.ctx.config, second.log)
  let [wall, steady] = [Date.now(), Math.floor(performance.now())]

  Object.assign(rival, { now: () => new Date(wall) })
  const clock = new JumpWatch(
    () => wall,
    () => steady,
  )
  const worker = new Worker(() => rival, clock)
  const pings = await app.admin.post(`/v1/orgs/acme/webhooks/${id}/ping`)

  assert.is(pings.status, 202)
  await receiver.until(1)
  const owner = jobIn(lane)?.owner

  // The clock jumps: the owner is alive and has not had time to renew its lease.
  wall += 86_400_000
  worker.wake()
  assert.is(jobIn(lane)?.owner, owner)
  steady += leaseMs
  wall += leaseMs
  worker.wake()
  await receiver.until(2)
  const taken = jobIn(lane)

  assert.is.not(taken?.owner, owner)
  assert.is(taken?.attempts, 2)

  const monotonic = performance.now

  try {
    performance.now = () => monotonic.call(performance) + 6 * 60_000
    wall += 30_000
    worker.checkRuns()
    worker.checkRuns()
  } finally {
    performance.now = monotonic
  }

  assert.is(jobIn(lane)?.leased_until, wall + leaseMs)
  assert.equal(
    second.lines
      .filter(line => line.minutes !== undefined)
      .map(({ level, job, id, minutes }) => ({ level, job, id, minutes })),
    [{ level: 40, job: 'deliver-webhook', id: taken?.id, minutes: 6 }],
  )

  assert.match(
    await metricsText(app.ctx, {}),
    /stemma_jobs_overdue_total\{kind="deliver-webhook"\} 1\n/,
  )

  held[0]?.()
  await until(() => first.lines.some(line => /another worker took it over/.test(line.msg)))
  assert.is(jobIn(lane)?.owner, taken?.owner)
  held[1]?.()
  await until(() => jobIn(lane) === undefined)
  assert.equal(
    second.lines.filter(line => /took it over/.test(line.msg)),
    [],
  )
  await worker.stop()
  rival.close()
  await receiver.stop()
})

test.run()
