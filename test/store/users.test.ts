import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findUsers, insertUser } from '../../src/store/people/users.ts'
import { Store } from '../../src/store/store.ts'

const store = new Store(':memory:')
test.after(() => store.close())

test('users are found by more ids than a statement takes parameters', () => {
  insertUser(store, {
    id: 'ada',
    display_name: 'Ada',
    email: null,
    created_at: '2026-01-01T00:00:00.000Z',
  })
  const ids = ['ada', 'ada', ...Array.from({ length: 100_000 }, (_, i) => `nobody-${i}`)]
  assert.equal([...findUsers(store, ids).keys()], ['ada'])
  assert.is(findUsers(store, []).size, 0)
})

test.run()
