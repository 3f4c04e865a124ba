import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Oid } from '../../src/lib/oid.ts'
import {
  derivedVersion,
  removeDerived,
  UnusableDerivedError,
} from '../../src/store/engine/sqlite/derived-file.ts'
import { findBlobFacts, putBlobFacts } from '../../src/store/git/blob-facts.ts'
import { findUser, insertUser } from '../../src/store/people/users.ts'
import { Store, sqlRows } from '../../src/store/store.ts'

const top = mkdtempSync(join(tmpdir(), 'stemma-store-'))
test.after(() => rmSync(top, { recursive: true, force: true }))

const newFolder = () => mkdtempSync(join(top, 'data-'))
const open = (folder: string, options = {}) => new Store(join(folder, 'stemma.db'), options)

const addUser = (store: Store, id: string) =>
  insertUser(store, { id, display_name: id, email: null, created_at: '2026-01-01T00:00:00.000Z' })
const addFacts = (store: Store, oid: string) =>
  putBlobFacts(store, 'blob_facts', 1, [{ oid: oid as Oid, facts: '{}' }])
const hasFacts = (store: Store, oid: string) =>
  findBlobFacts(store, 'blob_facts', [oid as Oid], 1).size === 1
const value = (store: Store, query: RawBuilder<unknown>) =>
  Object.values(store.get(sqlRows<Record<string, unknown>>(query)) ?? {})[0]

test('derived rows are in a file of their own, whose commits do not wait for the disk', () => {
  const folder = newFolder()
  const store = open(folder)
  addUser(store, 'ada')
  addFacts(store, 'a')
  assert.is(value(store, sql`pragma main.synchronous`), 2)
  assert.is(value(store, sql`pragma derived.synchronous`), 1)
  assert.is(value(store, sql`pragma derived.journal_mode`), 'wal')
  store.close()
  rmSync(join(folder, 'derived.db'))
  const again = open(folder)

  assert.ok(findUser(again, 'ada'))
  assert.not(hasFacts(again, 'a'))
  again.close()
})

test('a transaction that writes to both files throws and is rolled back, in either order', () => {
  const store = open(newFolder())
  const both: (() => unknown)[] = [() => addUser(store, 'bob'), () => addFacts(store, 'b')]
  for (const works of [both, both.toReversed()])
    assert.throws(
      () => store.transact(() => works.map(work => work())),
      /has written to .*\.db writes to/,
    )

  assert.is(findUser(store, 'bob'), undefined)
  assert.not(hasFacts(store, 'b'))
  for (const work of both) store.transact(work)
  assert.ok(findUser(store, 'bob'))
  assert.ok(hasFacts(store, 'b'))
  store.close()
})

test('derived rows of a transaction are written after its commit, and dropped with what is rolled back', async () => {
  const store = open(newFolder())
  const add = (id: string, fails = false) => {
    addUser(store, id)
    store.afterCommit(() => addFacts(store, id))
    assert.not(hasFacts(store, id))
    if (fails) throw new Error('no')
  }

  store.transact(() => add('a'))
  assert.ok(hasFacts(store, 'a'))
  assert.throws(() => store.transact(() => add('b', true)), /^no$/)
  store.transact(() => addUser(store, 'later'))
  assert.not(hasFacts(store, 'b'))
  await store.transactEach([() => add('c'), () => add('d', true), () => add('e')])
  assert.equal(
    ['c', 'd', 'e'].map(id => hasFacts(store, id)),
    [true, false, true],
  )
  store.afterCommit(() => addFacts(store, 'f'))
  assert.ok(hasFacts(store, 'f'))
  store.close()
})

test('a database error in derived rows does not undo or fail the transaction before them; other errors are thrown', () => {
  const store = open(newFolder())
  store.run(
    sqlRows(
      sql`create trigger derived.full before insert on blob_facts begin select raise(abort, 'full'); end`,
    ),
  )

  store.transact(() => {
    addUser(store, 'ada')
    store.afterCommit(() => addFacts(store, 'a'))
  })
  assert.ok(findUser(store, 'ada'))
  assert.not(hasFacts(store, 'a'))
  const broken = () => {
    throw new TypeError('bug')
  }

  assert.throws(() => store.transact(() => store.afterCommit(broken)), /^bug$/)
  store.close()
})

test('a derived write by another process is visible to what is remembered', async () => {
  const folder = newFolder()
  const [store, other] = [open(folder), open(folder)]
  const read = () => store.remember('facts', () => hasFacts(store, 'a'))
  const version = store.version()

  assert.is(read(), false)
  addFacts(other, 'a')
  await new Promise(resolve => setImmediate(resolve))
  assert.is(read(), true)
  assert.is.not(store.version(), version)
  store.close()
  other.close()
})

test('only the holder of the lock replaces a file of another version', () => {
  const folder = newFolder()
  const store = open(folder)
  addFacts(store, 'a')
  store.run(sqlRows(sql`pragma derived.user_version = ${sql.raw(String(derivedVersion + 1))}`))
  store.close()
  assert.throws(
    () => open(folder),
    /derived\.db cannot be used: it has version \d+, and this program uses/,
  )

  assert.throws(
    () => open(folder),
    (error: unknown) => error instanceof UnusableDerivedError,
  )
  const replaced = open(folder, { check: true })

  assert.not(hasFacts(replaced, 'a'))
  assert.is(value(replaced, sql`pragma derived.user_version`), derivedVersion)
  replaced.close()
})

test('a file that another process has open is not deleted', () => {
  const folder = newFolder()
  const [store, file] = [open(folder), join(folder, 'derived.db')]
  addFacts(store, 'a')
  assert.throws(() => removeDerived(file), /another Stemma command is using it/)
  assert.ok(existsSync(file))
  assert.ok(hasFacts(store, 'a'))
  store.close()
  removeDerived(file)
  assert.equal(
    readdirSync(folder).filter(name => name.startsWith('derived')),
    [],
  )
})

test('a database that is opened alone creates no file beside it', () => {
  const folder = newFolder()
  const store = open(folder, { alone: true })
  addFacts(store, 'a')
  assert.ok(hasFacts(store, 'a'))
  store.close()
  assert.equal(readdirSync(folder), ['stemma.db'])
})

test.run()
