import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findUser, insertUser } from '../../src/store/people/users.ts'
import { Store, sqlRows } from '../../src/store/store.ts'
import { writeTogether } from '../../src/store/write-together.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-together-'))
const store = new Store(join(folder, 'stemma.db'))
const other = new Store(join(folder, 'stemma.db'))
test.after(() => {
  store.close()
  other.close()
  rmSync(folder, { recursive: true, force: true })
})

const at = '2026-01-01T00:00:00.000Z'
const add = (id: string) => insertUser(store, { id, display_name: id, email: null, created_at: at })
const outcomesOf = (promises: Promise<unknown>[]) =>
  Promise.allSettled(promises).then(all =>
    all.map(end => (end.status === 'fulfilled' ? end.value : (end.reason as Error).message)),
  )

test('writes of one turn share a transaction, and a write that throws rolls back only its own rows', async () => {
  const write = writeTogether(store)
  const seen: boolean[] = []
  const ends = await outcomesOf([
    write(() => add('a').id),
    write(() => {
      add('b')
      throw new Error('no')
    }),
    write(() => {
      // The first write is visible here, but not yet to other connections.
      seen.push(findUser(store, 'a') !== undefined, findUser(other, 'a') !== undefined)
      return add('c').id
    }),
  ])

  assert.equal(ends, ['a', 'no', 'c'])
  assert.equal(seen, [true, false])
  assert.equal(
    ['a', 'b', 'c'].map(id => findUser(other, id)?.id),
    ['a', undefined, 'c'],
  )
})

test('a write is visible to others when its promise resolves', async () => {
  const write = writeTogether(store)
  await Promise.all(
    Array.from({ length: 120 }, (_, i) =>
      write(() => add(`n${i}`).id).then(id => assert.is(findUser(other, id)?.id, id)),
    ),
  )
})

test('a full database file rolls back the whole batch, and no write is reported as done', async () => {
  const write = writeTogether(store)
  const pages = store.get(sqlRows<{ page_count: number }>(sql`pragma page_count`))!.page_count
  store.get(sqlRows(sql.raw(`pragma max_page_count = ${pages + 1}`)))
  const large = (id: string) => () =>
    insertUser(store, { id, display_name: 'x'.repeat(200_000), email: null, created_at: at }).id
  const ends = await outcomesOf([
    write(() => add('small').id),
    write(large('large')),
    write(() => add('after').id),
  ])

  store.get(sqlRows(sql.raw('pragma max_page_count = 1000000')))
  const done = ['small', 'large', 'after'].map(id => findUser(other, id) !== undefined)

  assert.equal(
    ends.map(end => ['small', 'large', 'after'].includes(String(end))),
    done,
  )
  assert.not(done[1])
  assert.is(await write(() => add('again').id), 'again')
})

test.run()
