import { mkdtempSync, rmSync, stat } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findUser, insertUser, updateUser } from '../../src/store/people/users.ts'
import { query, Store } from '../../src/store/store.ts'

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
  // setImmediate callbacks run last in a turn; the next events arrive before those of the next
  // turn.
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

test('a value with a scope stays while other rows change, and no longer', () => {
  let reads = 0
  const read = () => store.remember('scoped', () => ++reads, { spaceId: 's', organizationId: 'o' })
  const after = (write: () => unknown) => {
    const before = read()
    write()
    return read() === before
  }
  const rename = (id: string) => () =>
    store.run(query.updateTable('organization').set({ title: 'New' }).where('id', '=', id))
  const edit = (id: string) => () =>
    store.run(query.updateTable('space').set({ title: 'New' }).where('id', '=', id))

  assert.ok(after(rename('other')))
  assert.ok(after(edit('other')))
  assert.ok(after(() => store.run(query.deleteFrom('job').where('id', '=', 'none'))))
  assert.not(after(rename('o')))
  assert.not(after(edit('s')))
  assert.not(after(() => updateUser(store, 'ada', { display_name: 'Ada' })))
})

test('a value with a scope changes with a write by another process', async () => {
  let reads = 0
  const read = () => store.remember('scoped by others', () => ++reads, { spaceId: 's' })
  assert.is(read(), 1)
  const other = new Store(file)
  updateUser(other, 'ada', { display_name: 'Augusta' })
  await new Promise(resolve => setImmediate(resolve))
  assert.is(read(), 2)
  other.close()
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
