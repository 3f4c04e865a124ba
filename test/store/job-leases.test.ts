import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { enqueue } from '../../src/queue/enqueue.ts'
import {
  buryJob,
  type Claimant,
  claimJob,
  countJobs,
  finishJob,
  leaseMs,
  nextJobDelays,
  postponeJob,
  releaseJobs,
  renewLeases,
  retimeJobs,
} from '../../src/store/events/jobs.ts'
import { Store } from '../../src/store/store.ts'

const at = new Date('2026-01-01T00:00:00.000Z')
const now = at.getTime()
const day = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'stemma-leases-'))
const opened: Store[] = []
test.after(() => {
  for (const store of opened) store.close()
  rmSync(folder, { recursive: true, force: true })
})

let files = 0

/** A worker with a connection of its own. */
function worker(file: string, owner: string) {
  const store = new Store(file)
  opened.push(store)
  return {
    owner,
    store,
    claim: (at: number, by: Partial<Claimant> = {}) => claimJob(store, { owner, now: at, ...by }),
  }
}

/** Two workers of one file, and `add`, which enqueues a job. */
function two() {
  const file = join(folder, `${++files}.db`)
  const [first, second] = [worker(file, 'first'), worker(file, 'second')]
  const add = (
    lane: string,
    about: { key?: string; userId?: string; organizationId?: string } = {},
  ) => enqueue(first.store, { kind: 'tidy', payload: {}, lane, ...about }, at)
  return { first, second, add }
}

/** Throws if the value is undefined. */
function some<Value>(value: Value | undefined): Value {
  assert.ok(value)
  return value
}

test('a job whose lease has ended is taken over, and the attempt counts', () => {
  const { first, second, add } = two()
  add('a')
  const job = some(first.claim(now))
  assert.is(job.leased_until, now + leaseMs)
  assert.is(second.claim(now + leaseMs - 1), undefined)
  assert.is(nextJobDelays(second.store, { owner: 'second', now: now + leaseMs - 1 })[0], 1)
  assert.is(nextJobDelays(first.store, { owner: 'first', now: now + leaseMs - 1 })[0], undefined)
  assert.is(nextJobDelays(second.store, { owner: 'second', now: now + leaseMs })[0], 0)
  const again = some(second.claim(now + leaseMs))

  assert.equal([again.id, again.owner, again.attempts], [job.id, 'second', 2])
  assert.is(first.claim(now + leaseMs), undefined)
})

test('a renewed lease keeps a job, and only the jobs of its owner', () => {
  const { first, second, add } = two()
  add('a')
  const job = some(first.claim(now))
  add('b')
  some(second.claim(now))
  assert.is(renewLeases(first.store, 'first', now + leaseMs - 1), 1)
  assert.is(some(first.claim(now + leaseMs)).lane, 'b')
  assert.is(second.claim(now + leaseMs), undefined)
  assert.is(finishJob(first.store, job), 1)
})

test('a worker that has lost a job can neither finish, postpone nor bury it', () => {
  const { first, second, add } = two()
  add('a', { key: 'a' })
  const lost = some(first.claim(now))
  const held = some(second.claim(now + leaseMs))

  add('a', { key: 'a' })
  assert.is(finishJob(first.store, lost), 0)
  assert.is(postponeJob(first.store, lost, { now, error: 'busy' }), 0)
  assert.is(buryJob(first.store, lost, 'busy'), 0)
  assert.equal(countJobs(second.store), [
    { state: 'running', count: 1 },
    { state: 'waiting', count: 1 },
  ])
  assert.is(finishJob(second.store, held), 1)
  assert.is(finishJob(second.store, held), 0)
})

test('a worker never claims a job that it runs itself, whatever the clock says and whoever holds the lease', () => {
  const { first, second, add } = two()
  add('a')
  const { id } = some(first.claim(now))
  assert.is(first.claim(now + day), undefined)
  const held = some(second.claim(now + leaseMs))

  postponeJob(second.store, held, { now, error: 'busy' })
  assert.is(first.claim(now + day, { runs: [id] }), undefined)
  assert.is(
    nextJobDelays(first.store, { owner: 'first', now: now + day, runs: [id] })[0],
    undefined,
  )
  assert.is(first.claim(now + day)?.id, id)
})

test('a worker that distrusts the clock takes nothing over', () => {
  const { first, second, add } = two()
  add('a')
  some(first.claim(now))
  assert.is(second.claim(now + day, { takesOver: false }), undefined)
  assert.is(
    nextJobDelays(second.store, { owner: 'second', now: now + day, takesOver: false })[0],
    undefined,
  )
  assert.ok(second.claim(now + day))
})

test('after the clock was set back, an owner that has ended keeps its jobs for one lease at most', () => {
  const { first, second, add } = two()
  add('a')
  some(first.claim(now))
  retimeJobs(second.store, new Date(now - day))
  assert.is(second.claim(now - day + leaseMs - 1), undefined)
  assert.ok(second.claim(now - day + leaseMs))
})

test('an abandoned job holds neither its lane nor a place of its user and organization', () => {
  const { first, second, add } = two()
  const whose = { userId: 'ada', organizationId: 'acme' }
  add('a', whose)
  some(first.claim(now))
  add('a', whose)
  add('b', whose)
  const selection = { kinds: { only: ['tidy'] }, perUser: 1, perOrganization: 1 }
  const claim = (at: number) => claimJob(second.store, { owner: 'second', now: at }, selection)

  assert.is(claim(now + 1), undefined, 'the user and the organization are at their limits')
  const taken = some(claim(now + leaseMs))

  assert.equal([taken.lane, taken.attempts], ['a', 2], 'the abandoned job is the oldest')
  assert.is(claim(now + leaseMs), undefined, 'it counts for its new owner')
  finishJob(second.store, taken)
  assert.is(claim(now + leaseMs)?.lane, 'a')
})

test('the start of a server releases the jobs of other workers, whatever their leases', () => {
  const { first, second, add } = two()
  add('a')
  add('b')
  some(first.claim(now))
  const kept = some(second.claim(now))

  assert.is(releaseJobs(second.store, 'second', new Date(now + 1)), 1)
  const [a, none] = [some(second.claim(now + 1)), second.claim(now + 1)]

  assert.equal([a.lane, a.attempts, none], ['a', 2, undefined])
  assert.is(finishJob(second.store, kept), 1)
})

test.run()
