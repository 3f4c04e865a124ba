import type { IncomingMessage } from 'node:http'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor } from '../../src/access/asker.ts'
import { WarmAnswers } from '../../src/http/warm-answers.ts'
import { query, Store } from '../../src/store/store.ts'

test('keys count as well as answers: many long URLs stay within the memory limit', () => {
  const store = new Store(':memory:')
  const warm = new WarmAnswers(store)
  const get = (url: string) => ({ method: 'GET', url, headers: {} }) as IncomingMessage
  const [many, long] = [4_000, 8_000]
  const urlOf = (index: number) => `/${'/'.repeat(long)}${index}`
  const actor = { type: 'user', user: { id: 'ada' }, token: { id: 'token' } } as Actor
  const made = { bytes: Buffer.from('{}'), etag: 'x', holds: () => true }

  for (let index = 0; index < many; index++)
    warm.keep(get(urlOf(index)), urlOf(index), made, {
      version: store.version(),
      until: Date.now() + 60_000,
      actor,
    })

  const kept = Array.from({ length: many }, (_, index) => warm.find(get(urlOf(index)))).filter(
    Boolean,
  )

  assert.ok(kept.length > 1_000, `${kept.length} are kept`)
  assert.ok(kept.length * long <= 16 * 1024 * 1024, `${kept.length} are kept`)
  store.close()
})

test('an answer stays in the cache while another space is written, and no longer than its own', () => {
  const store = new Store(':memory:')
  const warm = new WarmAnswers(store)
  const req = { method: 'GET', url: '/page', headers: {} } as IncomingMessage
  const actor = { type: 'user', user: { id: 'ada' }, token: { id: 'token' } } as Actor
  const keep = () => {
    const made = {
      bytes: Buffer.from('{}'),
      etag: 'x',
      holds: () => true,
      scope: { spaceId: 'mine' },
    }
    warm.keep(req, '/page', made, { version: store.version(), until: Date.now() + 60_000, actor })
    return warm.find(req)
  }
  const rename = (id: string) =>
    store.run(query.updateTable('space').set({ title: 'New' }).where('id', '=', id))

  assert.ok(keep())
  for (let edit = 0; edit < 20; edit++) rename('other')
  assert.ok(warm.find(req))
  rename('mine')
  assert.is(warm.find(req), undefined)
  assert.ok(keep())
  store.run(query.updateTable('permission').set({ role: 'read' }).where('subject_id', '=', 'eve'))
  assert.is(warm.find(req), undefined)
  store.close()
})

test.run()
