import { sql } from 'kysely'
import * as assert from 'uvu/assert'
import { isDatabaseError } from '../../src/store/engine/driver.ts'
import { type Store, sqlRows } from '../../src/store/store.ts'
import { until } from '../support/until.ts'
import { type Bench, endConnections, freeze, openBench } from './bench.ts'
import { postgresSuite } from './suite.ts'

const deadlineMs = 500
let bench: Bench
let store: Store
const test = postgresSuite(
  'awaited statements of PostgreSQL',
  async () => {
    bench = await openBench()
    store = bench.node(deadlineMs)
  },
  () => bench?.stop(),
)

const later = async (node: Store, text: string, values: unknown[] = []) =>
  (await node.later!(text, values))[0]?.[0]

/** Returns the code with which a statement fails. */
const codeOf = (text: string): Promise<string> =>
  later(store, text).then(
    () => 'none',
    error => (isDatabaseError(error) ? error.code : String(error)),
  )

test('values and rows come as from other statements', async () => {
  assert.equal(await store.later!('select $1::int8, null, true', [7]), [[7, null, 1]])
  assert.equal(await store.later!('select 1 where false', []), [])
})

test('an error has its code, and harms no other statement', async () => {
  const [wrong, right] = await Promise.all([codeOf('select 1 from nowhere'), codeOf('select 1')])
  assert.equal([wrong, right], ['other', 'none'])
})

/** Runs a function of PostgreSQL as a statement that the caller waits for. */
const now = (node: Store, text: string) => node.all(sqlRows(sql`select ${sql.raw(text)}`))

test('no statement is compiled: one that reads a whole table seems to cost enough for that', async () => {
  const plan = await store.later!(
    'explain (analyze, format json) select from idempotency_claim where claimed_until < now()',
    [],
  )
  const [{ Plan, JIT }] = JSON.parse(String(plan[0]?.[0])) as [{ Plan: object; JIT?: object }]
  assert.ok(Plan)
  assert.is(JIT, undefined)
})

test('an awaited statement and a blocking one do not wait for each other', async () => {
  const node = bench.node()
  now(node, 'pg_advisory_lock(1)')
  const blocked = later(node, 'select pg_advisory_lock(1)')
  now(node, 'pg_advisory_unlock(1)')
  await blocked
  const released = later(node, 'select pg_sleep(0.1), pg_advisory_unlock(1)')
  now(node, 'pg_advisory_lock(1)')
  await released
})

test('the session is held, with its advisory locks', async () => {
  const other = bench.node()
  const take = 'select pg_try_advisory_lock(2)'
  assert.is(await later(store, take), 1)
  assert.is(await later(other, take), 0)
  assert.is(await later(store, 'select pg_advisory_unlock(2)'), 1)
  assert.is(await later(other, take), 1)
})

test('a statement whose connection has ended runs again on another one', async () => {
  const before = await later(store, 'select pg_backend_pid()')
  await endConnections(bench.cluster)
  assert.is.not(await later(store, 'select pg_backend_pid()'), before)
})

test('a frozen server fails a statement at the deadline and later ones at once', async () => {
  await later(store, 'select 1')
  const thaw = await freeze(bench.cluster)
  try {
    let turns = 0
    const ticks = setInterval(() => turns++, 10)
    const from = performance.now()
    assert.is(await codeOf('select 1'), 'unavailable')
    const ms = performance.now() - from
    clearInterval(ticks)
    assert.ok(ms >= deadlineMs * 0.9, `${ms} ms`)
    assert.ok(turns > 5, 'the event loop went on')
    const second = performance.now()
    assert.is(await codeOf('select 1'), 'unavailable')
    assert.ok(performance.now() - second < deadlineMs / 2)
  } finally {
    thaw()
  }
  await until('the server answers', async () =>
    (await codeOf('select 1')) === 'none' ? true : undefined,
  )
})

test('a closed store answers nothing', async () => {
  const node = await bench.alone()
  const unanswered = node.later!('select pg_sleep(5)', [])
  const ended = unanswered.then(
    () => false,
    error => isDatabaseError(error, 'unavailable'),
  )
  node.close()
  assert.is(await ended, true)
})

test.run()
