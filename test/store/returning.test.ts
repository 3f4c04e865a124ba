import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Store, sqlRows } from '../../src/store/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-store-'))
const store = new Store(join(folder, 'stemma.db'))
test.after(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const rows = <Row>(text: string) => sqlRows<Row>(sql.raw(text))

test('a write with a `returning` clause that cannot be committed fails and returns no row', () => {
  // A deferred constraint is checked when the transaction ends, so it fails at the commit, as a
  // full disk does.
  store.run(rows('create table parent (id text primary key) strict'))
  store.run(
    rows('create table child (id text references parent deferrable initially deferred) strict'),
  )
  const write = () => store.get(rows("insert into child values ('none') returning id"))
  assert.throws(write, (error: { code: string }) => error.code === 'foreign')
  assert.equal(store.all(rows('select * from child')), [])
})

test('a write that returns several rows writes all of them', () => {
  store.run(rows('create table count (n integer) strict'))
  assert.equal(store.get(rows('insert into count values (1), (2), (3) returning n')), { n: 1 })
  assert.equal(store.all(rows('select n from count order by n')), [{ n: 1 }, { n: 2 }, { n: 3 }])
  assert.is(store.get(rows('update count set n = 0 where n > 5 returning n')), undefined)
})

test.run()
