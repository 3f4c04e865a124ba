import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import * as assert from 'uvu/assert'
import { until } from '../support/until.ts'
import {
  type Bench,
  endConnections,
  freeze,
  openBench,
  putAdmins,
  readTitle,
  writeTitle,
} from './bench.ts'
import { type Nodes, startNodes } from './nodes.ts'
import { findStale } from './stale.ts'
import { postgresSuite } from './suite.ts'

const deadlineSeconds = 1
let nodes: Nodes
let bench: Bench
const test = postgresSuite(
  'the gate of nodes on one database',
  async () => {
    nodes = await startNodes({ STEMMA_DATABASE_SECONDS: String(deadlineSeconds) })
    bench = await openBench()
  },
  async () => {
    await nodes?.stop()
    bench?.stop()
  },
)

test('a token that is revoked at one node is refused at the other at once', async () => {
  const { a, atB } = nodes
  for (let round = 0; round < 20; round++) {
    const user = a.user(`bob${round}`, 'read')
    assert.is((await atB(user).get('/v1/user')).status, 200)
    const { body } = await user.get('/v1/user/tokens')
    assert.is((await user.delete(`/v1/user/tokens/${body.items[0].id}`)).status, 204)
    assert.is((await atB(user).get('/v1/user')).status, 401)
  }
})

test('a token that is revoked while a body arrives is refused with the rest of the body', async () => {
  const { a, b, atB } = nodes
  const user = a.user('dave', 'admin')
  const { id } = (await user.get('/v1/user/tokens')).body.items[0]
  const body = JSON.stringify({ title: 'Late' })
  const sent = request(`${b.url}/v1/orgs/acme/spaces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  sent.flushHeaders()
  await once(sent, 'continue')
  // Looks are in turn: the request has passed the gate when a later one is answered.
  assert.is((await atB(user).get('/v1/user')).status, 200)
  assert.is((await user.delete(`/v1/user/tokens/${id}`)).status, 204)
  sent.end(body)
  const [answer] = await answered
  answer.resume()
  assert.is(answer.statusCode, 401)
})

test('a member who is removed at one node sees nothing at the other', async () => {
  const { a, atB } = nodes
  const member = a.user('carol', 'read')
  const path = '/v1/orgs/acme'
  assert.is((await atB(member).get(path)).status, 200)
  assert.is((await a.admin.delete('/v1/orgs/acme/members/carol')).status, 204)
  const { status } = await atB(member).get(path)
  assert.is.not(status, 200)
  assert.is((await member.get(path)).status, status)
})

test('what one node has written is read at the other', async () => {
  const { a, adminAtB } = nodes
  for (let round = 0; round < 100; round++) {
    const [writer, reader] = round % 4 < 2 ? [a.admin, adminAtB] : [adminAtB, a.admin]
    const title = `Acme ${round}`
    assert.is((await writer.patch('/v1/orgs/acme', { title })).status, 200)
    assert.is((await reader.get('/v1/orgs/acme')).body.title, title)
  }
})

test('of thousands of remembered reads none is stale behind the gate, and some are without it', async () => {
  const [here, there] = [bench.node(), bench.node()]
  putAdmins(here, 'globex', ['eve'])
  assert.is(await findStale(here, there, { pairs: 2_000, passes: true, id: 'globex' }), 0)
  assert.ok((await findStale(here, there, { pairs: 50, passes: false, id: 'globex' })) > 0)
})

test('a commit without an answer is learned like that of another node', async () => {
  const node = bench.node(300)
  const other = bench.node()
  putAdmins(other, 'hooli', ['gavin'])
  const name = new URL(bench.url).pathname.slice(1)
  // The commit takes longer than the deadline.
  await bench.cluster.query(
    `create function slow() returns trigger language plpgsql as
       $$ begin set local statement_timeout = 0; perform pg_sleep(1); return null; end $$;
     create constraint trigger slow after update on organization deferrable initially deferred
       for each row when (new.title = 'slow') execute function slow()`,
    name,
  )
  await node.gate?.pass()
  const title = () =>
    node.remember('title', () => readTitle(node, 'hooli'), { organizationId: 'x' })
  assert.throws(() => writeTitle(node, 'hooli', 'slow'))
  await until('the commit is there', () =>
    readTitle(other, 'hooli') === 'slow' ? true : undefined,
  )
  await until('the node has found the database', () =>
    node.gate?.pass().then(
      () => true,
      () => undefined,
    ),
  )
  assert.is(title(), 'slow')
  await bench.cluster.query('drop trigger slow on organization', name)
})

test('clocks do not decide what is seen, and a node with a wrong one says that it is not ready', async () => {
  const [here, there] = [bench.node(), bench.node()]
  const now = Date.now
  Date.now = () => now() + 3_600_000
  try {
    assert.is(await findStale(here, there, { pairs: 100, passes: true, id: 'globex' }), 0)
    const { status, body } = await nodes.adminAtB.get('/readyz')
    assert.is(status, 503)
    assert.ok(Math.abs(body.database.clockAheadSeconds + 3_600) < 60)
  } finally {
    Date.now = now
  }
  assert.is((await nodes.adminAtB.get('/readyz')).status, 200)
})

test('a new connection forgets everything: it may lead to another server', async () => {
  const node = bench.node()
  let reads = 0
  const read = async () => {
    await node.gate?.pass()
    return node.remember('reads', () => ++reads, { organizationId: 'nobody' })
  }
  assert.equal([await read(), await read()], [1, 1])
  await endConnections(bench.cluster)
  assert.equal([await read(), await read()], [2, 2])
})

test('what changed more than two hours ago is deleted, and nothing younger', async () => {
  const node = await bench.alone()
  const run = (text: string) => node.later!(text, [])
  const insert = (count: number, hours: number) =>
    run(`insert into change (scope, origin, at) select '*', 'old', now() - interval '${hours} hours'
      from generate_series(1, ${count})`)
  await insert(12_000, 3)
  await insert(3, 1.9)
  await node.pruneChanges()
  assert.equal(await run('select count(*) from change'), [[3]])
})

test('a frozen database: health is told, other requests fail in time, and the loop goes on', async () => {
  const { a, cluster, adminAtB } = nodes
  assert.is((await adminAtB.get('/readyz')).body.database.answers, true)
  const thaw = await freeze(cluster)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  try {
    const first = adminAtB.get('/v1/orgs/acme')
    assert.is((await adminAtB.get('/healthz')).status, 200)
    const { status, headers } = await first
    assert.equal([status, headers.get('retry-after')], [503, '2'])
    const from = performance.now()
    for (let round = 0; round < 20; round++)
      assert.is((await adminAtB.get('/v1/orgs/acme')).status, 503)
    const ms = performance.now() - from
    assert.ok(ms < 20 * deadlineSeconds * 1000 * 0.5, `at once, but ${ms} ms`)
    const ready = await adminAtB.get('/readyz')
    assert.is(ready.status, 503)
    assert.is(ready.body.database.answers, false)
    assert.ok(ready.body.database.lookedSecondsAgo > 0)
    const metrics = await a.anonymous.get('/metrics')
    assert.match(metrics.text, /stemma_database_look_age_seconds \d/)
    const page = await fetch(`${a.url}/acme/site`, { headers: { accept: 'text/html' } })
    assert.is(page.status, 503)
    assert.match(String(page.headers.get('content-type')), /text\/html/)
    const transfer = await fetch(`${a.url}/git/x/info/refs?service=git-upload-pack`)
    assert.is(transfer.status, 503)
  } finally {
    delay.disable()
    thaw()
  }
  // Both servers are in this process, and each may wait once.
  assert.ok(delay.max / 1e6 < 2 * deadlineSeconds * 1000 + 500, `${delay.max / 1e6} ms`)
  await until('the database is found', async () =>
    (await adminAtB.get('/v1/orgs/acme')).status === 200 ? true : undefined,
  )
  assert.is((await adminAtB.get('/readyz')).status, 200)
})

test.run()
