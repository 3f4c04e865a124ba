import * as assert from 'uvu/assert'
import { addGuess } from '../../src/store/events/guesses.ts'
import { actor } from '../support/app.ts'
import { type Nodes, startNodes } from './nodes.ts'
import { postgresSuite } from './suite.ts'

const most = 30
const minute = 60_000
let nodes: Nodes
const test = postgresSuite(
  'guesses at two nodes',
  async () => {
    nodes = await startNodes({
      STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: String(most),
      STEMMA_TRUST_PROXY: '1',
    })
  },
  () => nodes?.stop(),
)

const run = (sql: string) => {
  const url = new URL(nodes.a.ctx.config.database!.url)
  return nodes.cluster.query(sql, url.pathname.slice(1))
}

/** Sends unusable tokens to both nodes in turn. Returns how many are refused as such, per allowance. */
async function allowed(from: string): Promise<number> {
  const { a, b } = nodes
  const guesses = [a, b].map(({ url }) => actor(url, '', 'stemma_unusable'))
  const begun = performance.now()
  let unusable = 0
  for (let n = 0; n < 4 * most; n++) {
    const { status } = await guesses[n % 2]!.get('/v1/user', { 'X-Forwarded-For': from })
    assert.ok([401, 429].includes(status), `${status}`)
    if (status === 401) unusable++
  }
  const refilled = ((performance.now() - begun) / minute) * most
  return unusable / (most + refilled)
}

test('have the allowance of one', async () => {
  // Each node may not know of a guess or two that are under way.
  const ratio = await allowed('192.0.2.1')
  assert.ok(ratio < 1.3, `${ratio}`)
})

test('have an allowance each where nodes do not share it', async () => {
  await run('alter table guess rename to elsewhere')
  const ratio = await allowed('192.0.2.2')
  await run('alter table elsewhere rename to guess')
  assert.ok(ratio > 1.5, `${ratio}`)
})

test('do not lock out who has a valid token, nor other addresses', async () => {
  const { a, adminAtB, b } = nodes
  const from = { 'X-Forwarded-For': '192.0.2.1' }
  for (const at of [a.admin, adminAtB]) assert.is((await at.get('/v1/user', from)).status, 200)
  const other = actor(b.url, '', 'stemma_unusable')
  assert.is((await other.get('/v1/user', { 'X-Forwarded-For': '192.0.2.9' })).status, 401)
})

test('are rows that name nobody, and go when they no longer count', async () => {
  const { store } = nodes.a.ctx
  const rows = async () => (await run('select digest from guess')).map(({ digest }) => digest)
  for (const digest of await rows()) assert.match(String(digest), /^[0-9a-f]{64}$/)
  for (let n = 0; n < 100; n++) await addGuess(store, `old ${n}`, minute)
  await run(`update guess set full_at = now() - interval '1 s'`)
  assert.ok((await rows()).length >= 100)
  for (let n = 0; n < 60; n++) await addGuess(store, 'new', 1)
  assert.is((await rows()).length, 1)
})

test('add up', async () => {
  const left = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      addGuess((n % 2 ? nodes.a.ctx : nodes.b.ctx).store, 'sum', minute),
    ),
  )
  const longest = Math.max(...left.map(each => each ?? 0))
  assert.ok(longest > 19.5 * minute && longest <= 20 * minute, `${longest}`)
})

test.run()
