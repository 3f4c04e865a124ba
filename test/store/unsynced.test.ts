import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findUser, insertUser } from '../../src/store/people/users.ts'
import { Store, sqlRows } from '../../src/store/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-store-'))
const store = new Store(join(folder, 'stemma.db'))
test.after(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const [normal, full] = [1, 2]
const level = () =>
  store.get(sqlRows<{ synchronous: number }>(sql`pragma synchronous`))?.synchronous
const insert = (id: string) =>
  insertUser(store, { id, display_name: id, email: null, created_at: '2026-01-01T00:00:00.000Z' })

test('one transaction commits without sync, and the next one syncs again', () => {
  assert.is(store.transactUnsynced(level), normal)
  assert.is(level(), full)
  store.transactUnsynced(() => insert('ada'))
  assert.ok(findUser(store, 'ada'))
  assert.is(store.transact(level), full)
})

test('a failed unsynced transaction is rolled back, and the next one syncs', () => {
  const work = () => {
    insert('bob')
    throw new Error('no')
  }
  assert.throws(() => store.transactUnsynced(work), /^no$/)
  assert.is(findUser(store, 'bob'), undefined)
  assert.is(level(), full)
})

test('inside another transaction, an unsynced one takes the mode of the outer one', () => {
  assert.is(
    store.transact(() => store.transactUnsynced(level)),
    full,
  )
  assert.is(level(), full)
})

test.run()
