import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertUser } from '../../src/store/people/users.ts'
import { reusable } from '../../src/store/reusable.ts'
import { query, Store } from '../../src/store/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-store-'))
const store = new Store(join(folder, 'stemma.db'))
const at = '2026-01-01T00:00:00.000Z'

test.before(() => {
  for (const id of ['ada', 'bob'])
    insertUser(store, { id, display_name: id, email: null, created_at: at })
})

test.after(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

let built = 0
const userWith = reusable((name: string, id: string) => {
  built += 1
  return query
    .selectFrom('user')
    .select(['id', 'display_name'])
    .where('created_at', '=', at)
    .where('id', '=', id)
    .where('display_name', '=', name)
})

test('a reusable query is built once and run with the arguments of each call', () => {
  assert.equal(store.get(userWith('ada', 'ada')), { id: 'ada', display_name: 'ada' })
  assert.equal(store.get(userWith('bob', 'bob')), { id: 'bob', display_name: 'bob' })
  assert.is(store.get(userWith('ada', 'bob')), undefined)
  assert.is(built, 1)
})

test('a query keeps its arguments when another one is made before it runs', () => {
  const first = userWith('ada', 'ada')
  userWith('bob', 'bob')
  assert.equal(store.get(first), { id: 'ada', display_name: 'ada' })
})

test.run()
