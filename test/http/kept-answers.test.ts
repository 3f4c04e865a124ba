import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Caches } from '../../src/caches.ts'
import { findKept, keep, type Validity } from '../../src/http/kept-answers.ts'
import { replies } from '../../src/http/kept-replies.ts'
import { ReadyAnswer } from '../../src/http/sending/ready-answer.ts'
import { query, Store } from '../../src/store/store.ts'

const bytes = Buffer.from('{}')
const answer = new ReadyAnswer({ status: 200, etag: 'x', bytes, headers: {} })
const value = { answer, whose: { tokenId: 'token' } }

/** Returns functions that keep and find answers in a store of their own. */
function setUp() {
  const store = new Store(':memory:')
  const kept = new Caches(192 * 1024 * 1024).get(replies)
  return {
    store,
    kept,
    put: (key: string, more: Validity = {}) =>
      keep(store, kept, key, { value, size: answer, ...more }),
    find: (key: string, stamp?: string) => findKept(store, kept, key, stamp),
  }
}

test('keys count as well as answers: many long URLs stay within the memory limit', () => {
  const { store, kept, put, find } = setUp()
  const [many, long] = [4_000, 8_000]
  const urlOf = (index: number) => `/${'/'.repeat(long)}${index}`

  for (let index = 0; index < many; index++) put(urlOf(index))
  const found = Array.from({ length: many }, (_, index) => find(urlOf(index))).filter(Boolean)

  assert.ok(found.length > 1_000, `${found.length} are kept`)
  assert.ok(found.length * long <= kept.limit, `${found.length} are kept`)
  store.close()
})

test('an answer is kept while another space is written, and no longer than its own', () => {
  const { store, put, find } = setUp()
  const keepIt = () => {
    put('page', { rows: { version: store.version(), scope: { spaceId: 'mine' } } })
    return find('page')
  }
  const rename = (id: string) =>
    store.run(query.updateTable('space').set({ title: 'New' }).where('id', '=', id))

  assert.ok(keepIt())
  for (let edit = 0; edit < 20; edit++) rename('other')
  assert.ok(find('page'))
  rename('mine')
  assert.is(find('page'), undefined)
  assert.ok(keepIt())
  store.run(query.updateTable('permission').set({ role: 'read' }).where('subject_id', '=', 'eve'))
  assert.is(find('page'), undefined)
  store.close()
})

test('an answer whose rows changed while it was made is not kept', () => {
  const { store, put, find } = setUp()
  const version = store.version()
  store.run(query.updateTable('space').set({ title: 'New' }).where('id', '=', 'mine'))
  put('page', { rows: { version, scope: { spaceId: 'mine' } } })
  assert.is(find('page'), undefined)
  store.close()
})

test('an answer ends with its token, with its refs, and for another stamp', () => {
  const { store, put, find } = setUp()
  let isSame = true
  put('past', { until: Date.now() - 1 })
  put('refs', { holds: () => isSame })
  put('stamp', { stamp: 'a' })

  assert.is(find('past'), undefined)
  assert.ok(find('refs'))
  isSame = false
  assert.is(find('refs'), undefined)
  isSame = true
  assert.is(find('refs'), undefined)
  assert.ok(find('stamp', 'a'))
  assert.is(find('stamp', 'b'), undefined)
  store.close()
})

test('an error of the store or of Git means that no answer is kept', () => {
  const { store, put, find } = setUp()
  put('page', {
    holds: () => {
      throw new Error('no repository')
    },
  })
  assert.is(find('page'), undefined)
  put('page', { rows: { version: store.version(), scope: undefined } })
  store.close()
  // The store looks at its files again some milliseconds after its last look.
  const { now } = performance
  performance.now = () => now.call(performance) + 60_000

  try {
    assert.is(find('page'), undefined)
  } finally {
    performance.now = now
  }
})

test.run()
