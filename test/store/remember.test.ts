import { mkdtempSync, rmSync, stat } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findUser, insertUser, updateUser } from '../../src/store/people/users.ts'
import { Store } from '../../src/store/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-store-'))
const file = join(folder, 'stemma.db')
const store = new Store(file)
const at = '2026-01-01T00:00:00.000Z'

test.after(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Reads a user's name as every request does. `asked` counts the queries. */
let asked = 0
const name = (id: string) =>
  store.remember(`name ${id}`, () => {
    asked += 1
    return findUser(store, id)?.display_name
  })

test('an unchanged value is queried once', () => {
  insertUser(store, { id: 'ada', display_name: 'Ada', email: null, created_at: at })
  assert.is(name('ada'), 'Ada')
  asked = 0
  assert.is(name('ada'), 'Ada')
  assert.is(name('nobody'), undefined)
  assert.is(name('nobody'), undefined)
  assert.is(asked, 1)
})

test('an id that is longer than any real id is not cached', () => {
  asked = 0
  for (let i = 0; i < 2; i++) assert.is(name('x'.repeat(8_000)), undefined)
  assert.is(asked, 2)
})

test('a write by this process is visible at once, including one that returns rows', () => {
  assert.is(name('ada'), 'Ada')
  updateUser(store, 'ada', { display_name: 'Ada L.' })
  assert.is(name('ada'), 'Ada L.')
})

test('a write by another process is visible in the next turn of the event loop', async () => {
  const other = new Store(file)
  assert.is(name('ada'), 'Ada L.')
  updateUser(other, 'ada', { display_name: 'Augusta' })
  await new Promise(resolve => setImmediate(resolve))
  assert.is(name('ada'), 'Augusta')
  other.close()
})

test('a write by another process is visible to later requests, even if the previous check came late in a turn', async () => {
  const other = new Store(file)
  // setImmediate callbacks run last in a turn; the next events arrive before those of the next turn.
  await new Promise(resolve => setImmediate(resolve))
  const before = store.version()
  updateUser(other, 'ada', { display_name: 'Ada' })
  const arrived = new Promise(resolve => stat(file, resolve))
  for (const end = performance.now() + 20; performance.now() < end; );
  await arrived
  assert.is.not(store.version(), before)
  other.close()
  updateUser(store, 'ada', { display_name: 'Augusta' })
})

test('a value written by a rolled-back transaction is not cached', () => {
  assert.throws(() =>
    store.transact(() => {
      updateUser(store, 'ada', { display_name: 'Nobody' })
      assert.is(name('ada'), 'Nobody')
      throw new Error('no')
    }),
  )
  assert.is(name('ada'), 'Augusta')
})

test.run()
