import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

// Before the imports of the suites below, each of whose servers opens a store.
process.env.STEMMA_TEST_RUN_TWICE = '1'
const { query, Store } = await import('../../../src/store/store.ts')
const { insertUser } = await import('../../../src/store/people/users.ts')

const folder = mkdtempSync(join(tmpdir(), 'stemma-test-'))
const store = new Store(join(folder, 'stemma.db'))
test.after(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const insert = (id: string) =>
  insertUser(store, { id, display_name: id, email: null, created_at: '2026-01-01T00:00:00.000Z' })
const users = () =>
  store.all(query.selectFrom('user').select('id').orderBy('id')).map(({ id }) => id)

test('a transaction runs twice, and only its second run stays', () => {
  const ids = ['first', 'second']
  let runs = 0
  const row = store.transact(() => insert(ids[runs++] as string))
  assert.equal([row.id, runs, users()], ['second', 2, ['second']])
})

test('what follows the commit follows it once', () => {
  let runs = 0
  store.transact(() => store.afterCommit(() => runs++))
  // Once, in a transaction of its own, which also runs twice.
  assert.is(runs, 2)
})

test('a second run that sends other statements is an error', () => {
  const waiting = ['third']
  const take = () =>
    store.transact(() => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) insert(id)
    })
  assert.throws(take, /second run of a transaction differs at statement 1 of 1/)
})

test('a failed transaction fails twice', () => {
  assert.throws(() => store.transact(() => insert('second')), /UNIQUE/)
  assert.equal(users(), ['second'])
})

// Suites whose transactions differ most. They run in this process, with the setting above.
await import('../../api/answered-once.test.ts')
await import('../../api/change-requests/merge.test.ts')
await import('../../api/collections/transfer.test.ts')
await import('../../api/comments/post.test.ts')
await import('../../api/every-operation.test.ts')
await import('../../api/integrations/installations.test.ts')
await import('../../api/members/revoked.test.ts')
await import('../../api/spaces/duplicate.test.ts')
await import('../../api/sso/saml.test.ts')
await import('../../api/webhooks/manage.test.ts')

test.run()
