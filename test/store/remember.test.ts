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

/** The name of a user as every request would ask for it, and how often the database was asked. */
let asked = 0
const name = (id: string) =>
  store.remember(`name ${id}`, () => {
    asked += 1
    return findUser(store, id)?.display_name
  })

test('what did not change is asked once', () => {
  insertUser(store, { id: 'ada', display_name: 'Ada', email: null, created_at: at })
  assert.is(name('ada'), 'Ada')
  asked = 0
  assert.is(name('ada'), 'Ada')
  assert.is(name('nobody'), undefined)
  assert.is(name('nobody'), undefined)
  assert.is(asked, 1)
})

test('an id that is none of ours, and longer than any, is not kept', () => {
  asked = 0
  for (let i = 0; i < 2; i++) assert.is(name('x'.repeat(8_000)), undefined)
  assert.is(asked, 2)
})

test('a write of ours is seen at once, also one that gives rows back', () => {
  assert.is(name('ada'), 'Ada')
  updateUser(store, 'ada', { display_name: 'Ada L.' })
  assert.is(name('ada'), 'Ada L.')
})

test('a write of another process is seen in the next turn of the event loop', async () => {
  const other = new Store(file)
  assert.is(name('ada'), 'Ada L.')
  updateUser(other, 'ada', { display_name: 'Augusta' })
  await new Promise(resolve => setImmediate(resolve))
  assert.is(name('ada'), 'Augusta')
  other.close()
})

test('a write of another process is seen by what arrives after it, also when the look before it came late in a turn', async () => {
  const other = new Store(file)
  // The callbacks of setImmediate come last in a turn; what arrives next comes before those of the next one.
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

test('what a transaction takes back is not remembered', () => {
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
