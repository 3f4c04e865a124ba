import type { IncomingMessage } from 'node:http'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor } from '../../src/access/asker.ts'
import { WarmAnswers } from '../../src/http/warm-answers.ts'
import { Store } from '../../src/store/store.ts'

test('addresses count as well as answers: many long ones take no more memory than is meant for them', () => {
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
  const kept = Array.from({ length: many }, (_, index) => warm.find(get(urlOf(index)))).filter(Boolean)
  assert.ok(kept.length > 1_000, `${kept.length} are kept`)
  assert.ok(kept.length * long <= 16 * 1024 * 1024, `${kept.length} are kept`)
  store.close()
})

test.run()
