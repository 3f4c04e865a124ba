import pg from 'pg'
import * as assert from 'uvu/assert'
import { deleteLeftClaims, keepAnswer, keepNewAnswer } from '../../src/store/events/idempotency.ts'
import { query, type Store } from '../../src/store/store.ts'
import type { Actor, Reply } from '../support/app.ts'
import { readTitle, writeTitle } from './bench.ts'
import { type Nodes, startNodes } from './nodes.ts'
import { postgresSuite } from './suite.ts'

let nodes: Nodes
const test = postgresSuite(
  'a request with an Idempotency-Key at two nodes',
  async () => {
    nodes = await startNodes()
  },
  () => nodes?.stop(),
)

const sent = (at: Actor, what: 'collections' | 'spaces', key: string): Promise<Reply> =>
  at.post(`/v1/orgs/acme/${what}`, { title: `At ${key}` }, { 'Idempotency-Key': key })
const count = (table: 'collection' | 'space'): number =>
  nodes.a.ctx.store.all(query.selectFrom(table).select('id')).length
const claims = (sql: string) => {
  const url = new URL(nodes.a.ctx.config.database!.url)
  return nodes.cluster.query(sql, url.pathname.slice(1))
}

for (const [what, table, rounds] of [
  ['collections', 'collection', 50],
  ['spaces', 'space', 10],
] as const)
  test(`is carried out once, and both get the answer: ${what}`, async () => {
    const { a, adminAtB } = nodes
    const before = count(table)
    for (let round = 0; round < rounds; round++) {
      const key = `${what}-${round}`
      const both = [sent(a.admin, what, key), sent(adminAtB, what, key)]
      const [one, two] = await Promise.all(round % 2 ? both : both.reverse())
      assert.is(one!.status, 201, one!.text)
      assert.is(two!.text, one!.text)
      const replays = [one!, two!].filter(({ headers }) => headers.get('idempotent-replayed'))
      assert.is(replays.length, 1)
      assert.is(count(table), before + round + 1)
    }
    assert.equal(await claims('select * from idempotency_claim'), [])
  })

const page = (title: string) => ({
  changes: [{ operation: 'insert_page', title, document: { markdown: 'x' } }],
})

test('is carried out once, and both get the answer: an edit, and a comment', async () => {
  const { a, adminAtB } = nodes
  const { body: space } = await a.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
  const api = `/v1/spaces/${space.id}`
  for (let round = 0; round < 10; round++) {
    for (const [path, body] of [
      [`${api}/content`, page(`Page ${round}`)],
      [`${api}/comments`, { body: { markdown: `Comment ${round}` } }],
    ] as const) {
      const [one, two] = await Promise.all(
        [a.admin, adminAtB].map(at =>
          at.post(path, body, { 'Idempotency-Key': `${path}-${round}` }),
        ),
      )
      assert.ok(one!.status < 300, one!.text)
      assert.is(two!.text, one!.text)
    }
  }
  for (const at of [a.admin, adminAtB]) {
    assert.is((await at.get(`${api}/revisions?limit=100`)).body.count, 11)
    assert.is((await at.get(`${api}/comments?limit=100`)).body.items.length, 10)
  }
})

test('of which one fails leaves the other to try', async () => {
  const { a, adminAtB } = nodes
  const key = { 'Idempotency-Key': 'unlike' }
  const replies = await Promise.all(
    [a.admin, adminAtB].map((at, n) =>
      at.post('/v1/orgs/acme/collections', { title: `${n}` }, key),
    ),
  )
  assert.equal(replies.map(({ status }) => status).sort(), [201, 409])
})

test('waits while a node holds its key, and is carried out when that node has died', async () => {
  const { a, adminAtB } = nodes
  const before = count('collection')
  await claims(`
    insert into idempotency_claim values ('${a.admin.id}', 'held', 'gone', now() + interval '1 hour')`)
  let replies = 0
  const waiting = [a.admin, adminAtB].map(async at => {
    const reply = await sent(at, 'collections', 'held')
    replies++
    return reply
  })
  // Requests with other keys go on meanwhile.
  for (const at of [a.admin, adminAtB, a.admin])
    assert.is((await sent(at, 'collections', `free-${Math.random()}`)).status, 201)
  assert.is(replies, 0)
  await claims(`update idempotency_claim set claimed_until = now() where key = 'held'`)
  const [one, two] = await Promise.all(waiting)
  assert.is(one!.status, 201)
  assert.is(two!.text, one!.text)
  assert.is(count('collection'), before + 4)
})

test('waits while the connection that holds its key is there, and no longer', async () => {
  const { a, adminAtB } = nodes
  const holder = new pg.Client(a.ctx.config.database!.url)
  await holder.connect()
  await holder.query(`
    insert into idempotency_claim
    select '${a.admin.id}', 'connected', 'alive', now() + interval '1 hour', pid, backend_start
    from pg_stat_get_activity(pg_backend_pid())`)
  let isAnswered = false
  const waiting = sent(adminAtB, 'collections', 'connected').then(reply => {
    isAnswered = true
    return reply
  })
  // It asks for the key meanwhile.
  for (let n = 0; n < 10; n++) await sent(a.admin, 'collections', `meanwhile-${n}`)
  assert.not.ok(isAnswered)
  await holder.end()
  assert.is((await waiting).status, 201)
})

test('removes what dead nodes have left', async () => {
  const { store } = nodes.a.ctx
  await claims(`
    insert into idempotency_claim
    select 'gone', 'k' || n, 'gone', now() - interval '1 s' from generate_series(1, 3) n
    union all select 'there', 'held', 'there', now() + interval '1 hour'`)
  await deleteLeftClaims(store, 2)
  assert.equal(await claims('select user_id from idempotency_claim'), [{ user_id: 'there' }])
  await claims('delete from idempotency_claim')
})

test('takes no effect at a node that was asleep, when another one has answered', () => {
  const { a, b } = nodes
  const [here, there] = [a.ctx.store, b.ctx.store]
  const to = { userId: a.admin.id, key: 'asleep', requestHash: 'h' }
  const write = (store: Store, title: string, keep: typeof keepNewAnswer | typeof keepAnswer) =>
    store.transact(() => {
      writeTitle(store, 'acme', title)
      keep(store, to, { status: 200 }, new Date())
    })
  write(there, 'there', keepNewAnswer)
  assert.throws(() => write(here, 'here', keepNewAnswer), /completed meanwhile/)
  assert.is(readTitle(here, 'acme'), 'there')
  // Without the check, it takes effect again.
  write(here, 'here', keepAnswer)
  assert.is(readTitle(here, 'acme'), 'here')
})

test.run()
