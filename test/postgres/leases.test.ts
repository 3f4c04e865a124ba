import { sql } from 'kysely'
import * as assert from 'uvu/assert'
import { enqueue } from '../../src/queue/enqueue.ts'
import {
  claimJob,
  finishJob,
  holdsJob,
  leaseMs,
  nextJobDelays,
  postponeJob,
  renewLeases,
} from '../../src/store/events/jobs.ts'
import { query, type Store, sqlRows } from '../../src/store/store.ts'
import type { JobRow } from '../../src/store/tables/rows.ts'
import { type Bench, flush } from './bench.ts'
import { twoStoresSuite } from './suite.ts'

const hour = 3_600_000
let bench: Bench
let here: Store
let there: Store
const test = twoStoresSuite('leases of jobs in PostgreSQL', stores => {
  ;({ bench, here, there } = stores)
})

/** A node whose clock is `skew` milliseconds off. */
const node = (store: Store, owner: string, skew = 0) => {
  const now = () => Date.now() + skew
  return {
    store,
    claim: () => claimJob(store, { owner, now: now() }),
    delay: () => nextJobDelays(store, { owner, now: now() })[0],
    renew: () => renewLeases(store, owner, now()),
    add: (lane: string, { key, delay = 0 }: { key?: string; delay?: number } = {}) =>
      enqueue(
        store,
        { kind: 'tidy', payload: {}, lane, runAt: now() + delay, ...(key && { key }) },
        new Date(now()),
      ),
    postpone: (job: JobRow, delay: number) =>
      postponeJob(store, job, { now: now(), delay, error: 'busy' }),
  }
}

const jobs = () => here.all(query.selectFrom('job').selectAll().orderBy('seq'))
const clear = () => here.run(query.deleteFrom('job'))
/** Ends the lease of a job, as if its owner had been frozen for as long. */
const endLease = (id: string) =>
  here.run(sqlRows(sql`update job set leased_until = leased_until - ${2 * hour} where id = ${id}`))

for (const skew of [hour, -hour])
  test(`a node whose clock is ${skew / hour} h off shares jobs by the clock of the database`, () => {
    clear()
    const [right, wrong] = [node(here, 'right'), node(there, 'wrong', skew)]

    wrong.add('a')
    assert.ok((right.delay() ?? 1) <= 0)
    const held = right.claim()
    assert.is(held?.lane, 'a')
    assert.is(wrong.claim(), undefined, 'a lease that has not ended')
    const ending = wrong.delay() ?? 0
    assert.ok(ending > 0 && ending <= leaseMs, `${ending}`)
    assert.is(right.delay(), undefined)

    right.add('b')
    const theirs = wrong.claim()
    assert.is(theirs?.lane, 'b')
    assert.is(right.claim(), undefined)
    assert.is(wrong.renew(), 1)
    assert.is(right.claim(), undefined)

    wrong.postpone(theirs!, 10_000)
    const delay = right.delay() ?? 0
    assert.ok(delay > 0 && delay <= 10_000, `${delay}`)
    assert.is(right.claim(), undefined)
  })

test('a frozen node loses its job, and can record nothing of it', () => {
  clear()
  const [first, second] = [node(here, 'first'), node(there, 'second')]
  first.add('a', { key: 'k' })
  const lost = first.claim()!
  assert.is(second.claim(), undefined)
  assert.ok(here.transact(() => holdsJob(here, lost)))

  endLease(lost.id)
  const taken = second.claim()!

  assert.is(taken.id, lost.id)
  assert.is(taken.attempts, 2)
  assert.is(first.renew(), 0)
  assert.not(here.transact(() => holdsJob(here, lost)))
  assert.is(finishJob(here, lost), 0)
  assert.is(first.postpone(lost, 0), 0)
  assert.ok(there.transact(() => holdsJob(there, taken)))
  assert.is(finishJob(there, taken), 1)
})

test('a job is not taken over while its owner records the result', () => {
  clear()
  const [first, second] = [node(here, 'first'), node(there, 'second')]
  first.add('a')
  const job = first.claim()!
  endLease(job.id)
  here.transact(() => {
    flush(here)
    assert.ok(holdsJob(here, job))
    assert.is(second.claim(), undefined)
    finishJob(here, job)
  })
  assert.is(second.claim(), undefined)
  assert.equal(jobs(), [])
})

test('an owner that records the result after a takeover repeats, and finds it', () => {
  clear()
  const [first, second] = [node(here, 'first'), node(there, 'second')]
  first.add('a')
  const job = first.claim()!
  endLease(job.id)
  const seen: boolean[] = []
  here.transact(() => {
    // Begins the transaction, which then sees the job as it is now.
    here.get(query.selectFrom('organization').select('id'))
    if (seen.length === 0) assert.ok(second.claim())
    seen.push(false)
    seen[seen.length - 1] = holdsJob(here, job)
  })
  assert.equal(seen, [false, false])
})

test('a job that an open transaction orders again starts after it', () => {
  clear()
  const [first, second] = [node(here, 'first'), node(there, 'second')]
  first.add('a', { key: 'k' })
  here.transact(() => {
    first.add('a', { key: 'k' })
    flush(here)
    assert.is(second.claim(), undefined)
  })
  assert.is(jobs().length, 1)
  assert.ok(second.claim())
  first.add('a', { key: 'k' })
  assert.equal(
    jobs().map(({ state }) => state),
    ['running', 'waiting'],
  )
})

test('without the trigger, that job starts before it can see why', async () => {
  clear()
  const database = new URL(bench.url).pathname.slice(1)
  const alter = (how: string) =>
    bench.cluster.query(`alter table job ${how} trigger job_ordered`, database)
  const [first, second] = [node(here, 'first'), node(there, 'second')]
  await alter('disable')
  first.add('a', { key: 'k' })
  here.transact(() => {
    first.add('a', { key: 'k' })
    flush(here)
    assert.ok(second.claim())
  })
  assert.is(jobs().length, 1)
  await alter('enable')
})

test('two nodes run one job of a lane at a time, and claims repeat no transaction', async () => {
  clear()
  const nodes = [node(here, 'first'), node(there, 'second', hour)]
  const lanes = ['a', 'b', 'c']
  for (let n = 0; n < 60; n++) nodes[n % 2]!.add(lanes[n % 3]!)
  const repeats = () =>
    [here, there]
      .flatMap(store => [...(store.figures?.repeats.values() ?? [])])
      .reduce((a, b) => a + b, 0)
  const before = repeats()
  let done = 0
  for (let turn = 0; done < 60; turn++) {
    const { store, claim, add } = nodes[turn % 2]!
    const other = nodes[(turn + 1) % 2]!
    const job = claim()!
    assert.ok(job, `${done}`)
    const beside = other.claim()
    assert.is.not(beside?.lane, job.lane)
    store.transact(() => {
      // Reads the queue, and adds to it.
      if (turn < 5) add(lanes[turn % 3]!)
      finishJob(store, job)
    })
    if (turn < 5) done--
    done++
    if (beside) done += finishJob(other.store, beside)
  }
  assert.equal(jobs(), [])
  assert.is(repeats(), before)
})

test.run()
