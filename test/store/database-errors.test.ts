import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isDatabaseError } from '../../src/store/engine/driver.ts'
import { saysCannotWrite } from '../../src/store/note.ts'
import { Store, sqlRows } from '../../src/store/store.ts'

const rows = (text: string) => sqlRows<Record<string, unknown>>(sql.raw(text))

/** Returns the code of the error that a statement throws. */
function codeOf(store: Store, text: string): string {
  try {
    store.run(rows(text))
  } catch (error) {
    assert.ok(isDatabaseError(error), String(error))
    assert.ok(error.cause instanceof Error)
    return error.code
  }
  return 'none'
}

test('each cause of a refusal has one code', () => {
  const store = new Store(':memory:')
  store.run(rows('create table one (id text primary key, n integer not null unique) strict'))
  store.run(rows('create table many (id text references one) strict'))
  store.run(rows("insert into one values ('a', 1)"))

  assert.is(codeOf(store, "insert into one values ('a', 2)"), 'unique')
  assert.is(codeOf(store, "insert into one values ('b', 1)"), 'unique')
  assert.is(codeOf(store, "insert into one values ('b', null)"), 'constraint')
  assert.is(codeOf(store, "insert into many values ('none')"), 'foreign')
  assert.is(codeOf(store, 'select * from nowhere'), 'other')
})

test('a file that becomes read-only says so, and reads go on', () => {
  const store = new Store(':memory:')
  store.run(rows('create table one (id text) strict'))
  store.run(rows("insert into one values ('a')"))
  store.run(rows('pragma query_only = 1'))

  assert.is(codeOf(store, "insert into one values ('b')"), 'readonly')
  assert.equal(store.all(rows('select id from one')), [{ id: 'a' }])
})

test('an error of the work in a transaction is thrown as it is', () => {
  const store = new Store(':memory:')
  const own = new Error('of the work')
  const thrown = () =>
    store.transact(() => {
      throw own
    })

  assert.throws(thrown, (error: unknown) => error === own && !saysCannotWrite(error))
})

test.run()
