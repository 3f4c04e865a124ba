import { sql } from 'kysely'
import * as assert from 'uvu/assert'
import { isDatabaseError } from '../../src/store/engine/driver.ts'
import { query, type Store, sqlRows } from '../../src/store/store.ts'
import { type Bench, openBench, putAdmins, readTitle, writeTitle } from './bench.ts'
import { postgresSuite } from './suite.ts'

let bench: Bench
let store: Store
const test = postgresSuite(
  'statements of PostgreSQL',
  async () => {
    bench = await openBench()
    store = bench.node()
    putAdmins(store, 'acme', ['ada'])
  },
  () => bench?.stop(),
)

const codeOf = (work: () => unknown): string => {
  try {
    work()
    return 'none'
  } catch (error) {
    return isDatabaseError(error) ? error.code : String(error)
  }
}

test('values come as SQLite returns them', () => {
  const [row] = store.all(
    sqlRows<Record<string, unknown>>(sql`
      select 9007199254740991::int8 as int8, 1.25::float8 as real, sum(seq) as total, count(*),
        1 < 2 as yes, null as nothing, '{"a":1}'::json as json, ${'é\u{1F600}'}::text as text,
        ${Buffer.from([0, 255])}::bytea as bytes
      from "user"`),
  )
  assert.equal(row, {
    int8: 9007199254740991,
    real: 1.25,
    total: 1,
    count: 1,
    yes: 1,
    nothing: null,
    json: '{"a":1}',
    text: 'é\u{1F600}',
    bytes: Buffer.from([0, 255]),
  })
  assert.ok(Buffer.isBuffer(row?.bytes))
})

test('columns with JSON are parsed, also under another name', () => {
  const found = store.get(query.selectFrom('organization').select('merge_rules as rules'))
  assert.equal(found, { rules: { type: 'none' } })
})

test('a statement returns the number of changed rows', () => {
  assert.is(writeTitle(store, 'acme', 'Acme'), 1)
  assert.is(writeTitle(store, 'nobody', 'Acme'), 0)
})

test('an update returns its rows', () => {
  const rows = store.all(
    query.updateTable('organization').set({ title: 'B' }).where('id', '=', 'acme').returning('id'),
  )
  assert.equal(rows, [{ id: 'acme' }])
})

test('each cause of an error has its code', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const organization = { id: 'acme', title: 'T', created_at: at }
  const member = { organization_id: 'acme', role: null, joined_at: at }
  const insert = (user_id: string, more: object) => () =>
    store.run(query.insertInto('member').values({ ...member, user_id, ...more } as never))
  assert.is(
    codeOf(() => store.run(query.insertInto('organization').values(organization))),
    'unique',
  )
  assert.is(codeOf(insert('nobody', {})), 'foreign')
  assert.is(codeOf(insert('ada', { sso: 7 })), 'constraint')
  assert.is(codeOf(insert('ada', { joined_at: null })), 'constraint')
  assert.is(
    codeOf(() => store.run(query.deleteFrom('audit_event'))),
    'none',
  )
  assert.is(
    codeOf(() => store.get(sqlRows(sql`select 1 from nowhere`))),
    'other',
  )
  const event = { id: 'e', organization_id: 'acme', action: 'a', target_kind: 'k', target_id: 't' }
  store.run(query.insertInto('audit_event').values({ ...event, created_at: at } as never))
  assert.is(
    codeOf(() => store.run(query.deleteFrom('audit_event'))),
    'constraint',
  )
})

test('derived rows are in SQLite, in transactions of their own', () => {
  const facts = { oid: 'a'.repeat(40), version: 1, facts: '{}' }
  const count = () => store.all(query.selectFrom('blob_facts').select('version')).length
  const insert = () => store.run(query.insertInto('blob_facts').values(facts as never))
  assert.throws(() =>
    store.transact(() => {
      insert()
      throw new Error('no')
    }),
  )
  assert.is(count(), 0)
  store.transact(insert)
  assert.is(count(), 1)
  assert.throws(
    () =>
      store.transact(() => {
        writeTitle(store, 'acme', 'C')
        insert()
      }),
    /A transaction that has written to stemma.db/,
  )
  assert.is(readTitle(store, 'acme'), 'B')
})

test('a statement outside a transaction is one trip', () => {
  const trips = (work: () => unknown) => {
    const before = store.figures?.trips ?? 0
    work()
    return (store.figures?.trips ?? 0) - before
  }
  assert.is(
    trips(() => readTitle(store, 'acme')),
    1,
  )
  assert.is(
    trips(() => writeTitle(store, 'acme', 'D')),
    1,
  )
  assert.is(
    trips(() => store.transact(() => undefined)),
    0,
  )
  const two = () => {
    readTitle(store, 'acme')
    writeTitle(store, 'acme', 'E')
  }
  // The beginning travels with the first statement, what changed with the commit.
  assert.is(
    trips(() => store.transact(two)),
    3,
  )
})

/** Reads the title of an organization as requests do, by a statement of its own for each `number`. */
const remembered = (number: number) =>
  store.remember(
    `title ${number}`,
    () =>
      store.get(
        query.selectFrom('organization').select('title').where('id', '=', 'acme').limit(number),
      ),
    { organizationId: 'acme' },
  )?.title

const readAll = () => [1, 2, 3].map(remembered)

const tripsOf = (work: () => unknown): number => {
  const before = store.figures!.trips
  work()
  return store.figures!.trips - before
}

test('after a change, reads that ran before are fetched together', async () => {
  await store.gate!.pass()
  readAll()
  for (const title of ['Changed', 'Changed again']) {
    writeTitle(store, 'acme', title)
    assert.is(tripsOf(readAll), 1)
    assert.equal(readAll(), [title, title, title])
    assert.is(tripsOf(readAll), 0)
  }
})

test('what was fetched before another change does not count', async () => {
  await store.gate!.pass()
  const other = bench.node()
  readAll()
  writeTitle(store, 'acme', 'Here')
  assert.is(remembered(1), 'Here')
  writeTitle(other, 'acme', 'There')
  await store.gate!.pass()
  assert.equal([remembered(2), remembered(1)], ['There', 'There'])
})

test('an error of a read that is fetched with others is its own', async () => {
  await store.gate!.pass()
  const ofTitle = sqlRows(sql`select 1 / length(title) as n from organization where id = 'acme'`)
  const failing = () =>
    store.remember('failing', () => store.get(ofTitle), { organizationId: 'acme' })
  failing()
  readAll()
  writeTitle(store, 'acme', '')
  assert.equal(readAll(), ['', '', ''])
  assert.throws(failing, /division by zero/)
})

test.run()
