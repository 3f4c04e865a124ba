import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { enqueue } from '../../src/queue/enqueue.ts'
import {
  buryJob,
  claimJob,
  countJobs,
  type JobSelection,
  leaseMs,
  mostStarts,
  nextJobDelays,
  postponeJob,
  releaseJobs,
} from '../../src/store/events/jobs.ts'
import { query, Store } from '../../src/store/store.ts'
import { leastCpuTime } from '../support/cpu-time.ts'

const at = new Date('2026-01-01T00:00:00.000Z')
const now = at.getTime()
const idle = { owner: 'idle', now }

const claim = (store: Store, owner: string, now: number, selection?: JobSelection) =>
  claimJob(store, { owner, now }, selection)

/** A running job with a key, and a waiting job with the same key that was enqueued meanwhile. */
function runningAndWaiting() {
  const store = new Store(':memory:')
  const order = { kind: 'tidy' as const, payload: {}, lane: 'tidy', key: 'tidy' }
  enqueue(store, order, at)
  const running = claim(store, 'one', now)
  assert.ok(running)
  enqueue(store, { ...order, runAt: now + 1000 }, at)
  return { store, running }
}

test('a job interrupted by the end of the server starts again, even if the same job was enqueued meanwhile', () => {
  const { store } = runningAndWaiting()
  releaseJobs(store, 'next', at)
  assert.equal(countJobs(store), [{ state: 'waiting', count: 1 }])
  assert.is(claim(store, 'two', now + 1000)?.kind, 'tidy')
})

test('a failed job is not retried when the same job is waiting already', () => {
  const { store, running } = runningAndWaiting()
  postponeJob(store, running, { now, delay: 4000, error: 'the disk is full' })
  assert.equal(countJobs(store), [{ state: 'waiting', count: 1 }])
})

test('a failed job waits for its next try; an abandoned one stays dead until the next start', () => {
  const store = new Store(':memory:')
  enqueue(store, { kind: 'tidy', payload: {}, lane: 'tidy', key: 'tidy' }, at)
  const first = claim(store, 'one', now)
  assert.ok(first)
  postponeJob(store, first, { now, delay: 4000, error: 'busy' })
  assert.is(claim(store, 'one', now + 3999), undefined)
  const second = claim(store, 'one', now + 4000)

  assert.ok(second)
  assert.is(second.attempts, 2)
  buryJob(store, second, 'busy')
  assert.equal(countJobs(store), [{ state: 'dead', count: 1 }])
  assert.is(claim(store, 'one', now + 10_000_000), undefined)
  releaseJobs(store, 'next', at)
  assert.is(claim(store, 'two', now)?.attempts, 1)
})

test('a try that failed through no fault of the job does not count', () => {
  const store = new Store(':memory:')
  enqueue(store, { kind: 'tidy', payload: {}, lane: 'tidy', key: 'tidy' }, at)
  for (let tries = 0; tries < 20; tries++) {
    const job = claim(store, 'one', now)
    assert.ok(job)
    assert.is(job.attempts, 1)
    postponeJob(store, job, { now, error: 'the disk is full', uncounted: true })
  }
})

test('a job that crashes its server is recognised by its number of starts, even if it is enqueued again at each start', () => {
  const store = new Store(':memory:')
  const order = {
    kind: 'index-search' as const,
    payload: { spaceId: 's' },
    lane: 'index-search',
    key: 's',
  }

  for (let starts = 1; starts <= mostStarts + 1; starts++) {
    enqueue(store, order, at)
    releaseJobs(store, 'next', at)
    const job = claim(store, `server ${starts}`, now)
    assert.ok(job)
    assert.is(job.attempts, starts)
    if (starts > mostStarts) buryJob(store, job, 'it may end the server')
  }

  releaseJobs(store, 'next', at)
  assert.equal(countJobs(store), [{ state: 'dead', count: 1 }])
})

test('the last abandoned job of each kind and key is requeued, unless one is waiting already', () => {
  const store = new Store(':memory:')
  const order = (key: string) => ({ kind: 'tidy' as const, payload: {}, lane: key, key })
  for (const key of ['a', 'a', 'b', 'b', 'c']) {
    enqueue(store, order(key), at)
    const job = claim(store, 'one', now)
    assert.ok(job)
    buryJob(store, job, 'broken')
  }

  enqueue(store, order('c'), at)
  releaseJobs(store, 'next', at)
  assert.equal(countJobs(store), [{ state: 'waiting', count: 3 }])
})

test('a job enqueued before the clock went back waits no longer than it would have', () => {
  const store = new Store(':memory:')
  const day = 24 * 3_600_000
  enqueue(store, { kind: 'tidy', payload: {}, lane: 'a', key: 'a' }, at)
  enqueue(store, { kind: 'tidy', payload: {}, lane: 'b', key: 'b', runAt: now + 1000 }, at)
  releaseJobs(store, 'next', new Date(now - day))
  assert.is(claim(store, 'one', now - day)?.key, 'a')
  assert.is(claim(store, 'one', now - day + 999), undefined)
  assert.is(claim(store, 'one', now - day + 1000)?.key, 'b')
})

test('each user and organization has a limit of running jobs, and the least busy one is next', () => {
  const store = new Store(':memory:')
  const add = (lane: string, userId: string | null, organizationId: string) =>
    enqueue(
      store,
      { kind: 'git-sync', payload: { spaceId: lane }, lane, userId, organizationId },
      new Date(now),
    )

  for (let n = 0; n < 20; n++) add(`greedy ${n}`, 'greedy', 'acme')
  for (let n = 0; n < 3; n++) add(`colleague ${n}`, 'colleague', 'acme')
  for (let n = 0; n < 3; n++) add(`other ${n}`, 'other', 'globex')
  add('nobody', null, 'globex')
  const selection = { kinds: { only: ['git-sync'] }, perUser: 2, perOrganization: 3 }
  const claimed: string[] = []

  for (
    let job = claim(store, 'one', now, selection);
    job;
    job = claim(store, 'one', now, selection)
  )
    claimed.push(job.lane)

  assert.equal(claimed, ['greedy 0', 'other 0', 'colleague 0', 'nobody', 'greedy 1', 'other 1'])
  const busy = { ...idle, owner: 'one' }
  assert.is(nextJobDelays(store, busy, [selection])[0], undefined, 'no wake-up is scheduled')
  assert.is(nextJobDelays(store, idle, [selection])[0], leaseMs, 'the jobs may be left')
  assert.is(nextJobDelays(store, idle)[0], 0)
})

test('claiming among thousands of jobs that wait for one costs little more than reading them', () => {
  const store = new Store(':memory:')
  store.transact(() => {
    for (let n = 0; n < 10_000; n++)
      enqueue(
        store,
        { kind: 'index-search', payload: { spaceId: `${n}` }, lane: 'index-search', key: `${n}` },
        at,
      )
  })
  for (const lane of 'abcdefgh') enqueue(store, { kind: 'tidy', payload: {}, lane }, at)
  for (let n = 0; n < 9; n++) assert.ok(claim(store, 'one', now))
  const selection = { kinds: { except: [] }, perUser: 2, perOrganization: 4 }
  const timed = (work: () => unknown) =>
    leastCpuTime(() => {
      for (let n = 0; n < 10; n++) work()
    })

  const lanes = query
    .selectFrom('job')
    .select('payload')
    .where('state', '=', 'waiting')
    .where('lane', '=', '')
  const reading = timed(() => store.all(lanes))

  assert.is(nextJobDelays(store, idle)[0], leaseMs)
  assert.is(claim(store, 'one', now, selection), undefined)
  const looking =
    timed(() => nextJobDelays(store, idle, [selection])[0]) +
    timed(() => claim(store, 'one', now, selection))

  assert.ok(looking < 5 * reading, `${looking} ms, reading them takes ${reading} ms`)
  const others = { kinds: { only: ['git-sync', 'process-openapi'] }, perUser: 2 }
  const missing = timed(() => nextJobDelays(store, idle, [others])[0])
  const some = query.selectFrom('job').select('payload').where('state', '=', 'waiting')
  const readingAll = timed(() => store.all(some))
  assert.ok(missing < readingAll / 5, `${missing} ms, reading all takes ${readingAll} ms`)
})

test.run()
