import * as assert from 'uvu/assert'
import { isDatabaseError } from '../../src/store/engine/driver.ts'
import { query, type Store } from '../../src/store/store.ts'
import { until } from '../support/until.ts'
import { type Bench, freeze, readTitle, writeTitle } from './bench.ts'
import { twoStoresSuite } from './suite.ts'

let bench: Bench
let here: Store
let there: Store
const test = twoStoresSuite('transactions of PostgreSQL that are awaited', stores => {
  ;({ bench, here, there } = stores)
})

/** Reads a title, and writes another one without a result. */
const exchange = (title: string) => () => {
  const before = readTitle(here, 'acme')
  here.send(query.updateTable('organization').set({ title }).where('id', '=', 'acme'))
  return before
}

test('a transaction whose reads are expected blocks nothing', async () => {
  await here.transactBeside(exchange('one'))
  const figures = here.figures!
  const [trips, waitedMs] = [figures.trips, figures.waitedMs]
  assert.is(await here.transactBeside(exchange('two')), 'one')
  assert.equal([figures.trips - trips, figures.waitedMs - waitedMs], [2, 0])
  assert.is(readTitle(there, 'acme'), 'two')
})

test('what is read between its statements and its end is read again after its end', async () => {
  const read = () =>
    here.remember('title', () => readTitle(here, 'acme'), { organizationId: 'acme' })
  read()
  let between: unknown
  await here.transactBeside(() => {
    exchange('three')()
    // Runs when the commit has been sent, and before its answer is heard.
    queueMicrotask(() => {
      between = read()
    })
  })
  assert.ok(between === 'two' || between === 'three', String(between))
  assert.is(read(), 'three')
})

test('other transactions of this node begin and end meanwhile', async () => {
  const order: string[] = []
  const slow = here.transactBeside(exchange('four')).then(() => order.push('awaited'))
  writeTitle(here, 'acme', 'before')
  order.push('at once')
  await slow
  assert.equal(order, ['at once', 'awaited'])
  assert.is(readTitle(there, 'acme'), 'four')
})

test('it runs again when another transaction has changed what it read', async () => {
  const repeats = () => [...(here.figures?.repeats.values() ?? [])].reduce((a, b) => a + b, 0)
  const before = repeats()
  let runs = 0
  let after = 0
  const seen = await here.transactBeside(() => {
    const title = readTitle(here, 'acme')
    // The first run of all only tells what the work reads.
    if (++runs === 2) writeTitle(there, 'acme', 'theirs')
    here.whenCommitted(() => after++)
    writeTitle(here, 'acme', 'ours')
    return title
  })
  assert.equal([seen, after, repeats() - before], ['theirs', 1, 1])
  assert.is(readTitle(there, 'acme'), 'ours')
})

test('work that throws leaves nothing, and what should follow its commit does not run', async () => {
  let after = 0
  const failing = here.transactBeside((): void => {
    writeTitle(here, 'acme', 'lost')
    here.whenCommitted(() => after++)
    throw new Error('no')
  })
  assert.is(await failing.catch((error: Error) => error.message), 'no')
  assert.is(after, 0)
  assert.is(readTitle(here, 'acme'), 'ours')
})

test('two of them that each take away one of the last two administrators: one is refused', async () => {
  const demoteUnlessLast = (store: Store, user: string) =>
    store.transactBeside(() => {
      const admins = store.all(
        query.selectFrom('member').select('user_id').where('role', '=', 'admin'),
      )
      if (admins.length < 2) return 'refused'
      store.run(query.updateTable('member').set({ role: 'read' }).where('user_id', '=', user))
      return 'demoted'
    })
  const ends = await Promise.all([demoteUnlessLast(here, 'ada'), demoteUnlessLast(there, 'bob')])
  assert.equal(ends.toSorted(), ['demoted', 'refused'])
})

test('while the database does not answer, the program goes on, and the transaction ends by its deadline', async () => {
  const store = bench.node(400)
  const beside = () =>
    store.transactBeside(() => readTitle(store, 'acme')).catch((error: unknown) => error)
  await beside()
  const thaw = await freeze(bench.cluster)
  const blockedMs = store.figures!.waitedMs
  try {
    const ends = await Promise.all([beside(), beside()])
    for (const end of ends) assert.ok(isDatabaseError(end, 'unavailable'), String(end))
  } finally {
    thaw()
  }
  assert.is(store.figures!.waitedMs, blockedMs)
  const title = await until('the database is found', async () => {
    const end = await beside()
    return end instanceof Error ? undefined : end
  })
  assert.is(title, 'ours')
})

test('the loss of its connection ends a transaction, and the next one connects again', async () => {
  await here.transactBeside(exchange('kept'))
  const rows = await bench.cluster.query(
    `select pid from pg_stat_activity where application_name = 'stemma'`,
  )
  let runs = 0
  const end = await here
    .transactBeside(() => {
      const before = exchange('lost')()
      if (++runs === 2) for (const { pid } of rows) process.kill(Number(pid), 'SIGTERM')
      return before
    })
    .catch((error: unknown) => error)
  // The commit may have reached the server before the signal.
  const isLost = isDatabaseError(end, 'unavailable')
  assert.ok(isLost || end === 'kept', String(end))
  assert.is(await here.transactBeside(exchange('next')), isLost ? 'kept' : 'lost')
})

test.run()
