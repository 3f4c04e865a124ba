import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import * as assert from 'uvu/assert'
import { type DatabaseErrorCode, isDatabaseError } from '../../src/store/engine/driver.ts'
import { Connection, failureOfCommit } from '../../src/store/engine/postgres/connection.ts'
import { Store } from '../../src/store/store.ts'
import { until } from '../support/until.ts'
import {
  type Bench,
  endConnections,
  flush,
  freeze,
  openBench,
  putAdmins,
  readTitle,
  writeTitle,
} from './bench.ts'
import { postgresSuite } from './suite.ts'

const deadlineMs = 400
let bench: Bench
let store: Store
const test = postgresSuite(
  'PostgreSQL that does not answer',
  async () => {
    bench = await openBench()
    store = bench.node(deadlineMs)
    putAdmins(store, 'acme', ['ada'])
  },
  () => bench?.stop(),
)

test('a start that gets no answer fails', async () => {
  const url = await bench.cluster.create()
  const other = new pg.Client(url)
  await other.connect()
  try {
    await other.query('select pg_advisory_lock($1)', [0x53746d61])
    const start = () => new Store(':memory:', { postgres: { url, startMs: 300 } }).close()
    assert.throws(start, /there was no answer in 0.3 seconds/)
  } finally {
    await other.end()
  }
})

/** Returns the code with which `work` fails, and how long it took. */
function failing(work: () => unknown): { code: DatabaseErrorCode | undefined; ms: number } {
  const from = performance.now()
  let code: DatabaseErrorCode | undefined
  try {
    work()
  } catch (error) {
    if (!isDatabaseError(error)) throw error
    code = error.code
  }
  return { code, ms: performance.now() - from }
}

const answers = () =>
  until('the server answers', () =>
    failing(() => readTitle(store, 'acme')).code === undefined ? true : undefined,
  )

test('a call ends at the deadline, later ones at once, until the server answers again', async () => {
  const thaw = await freeze(bench.cluster)
  try {
    const first = failing(() => readTitle(store, 'acme'))
    assert.is(first.code, 'unavailable')
    assert.ok(first.ms >= deadlineMs * 0.9 && first.ms < deadlineMs + 300, `${first.ms} ms`)
    const second = failing(() => writeTitle(store, 'acme', 'no'))
    assert.is(second.code, 'unavailable')
    assert.ok(second.ms < deadlineMs / 2, `${second.ms} ms`)
    assert.is(failing(() => store.transact(() => readTitle(store, 'acme'))).code, 'unavailable')
  } finally {
    thaw()
  }
  await answers()
  assert.is(writeTitle(store, 'acme', 'yes'), 1)
})

test('a statement outside a transaction connects again', async () => {
  await endConnections(bench.cluster)
  assert.is(readTitle(store, 'acme'), 'yes')
  await endConnections(bench.cluster)
  assert.is(writeTitle(store, 'acme', 'again'), 1)
  assert.is(readTitle(store, 'acme'), 'again')
})

test('a transaction ends with its connection', async () => {
  const other = bench.node()
  const pidOf = async () =>
    (await bench.cluster.query(
      `select pid from pg_stat_activity where application_name = 'stemma' order by backend_start desc`,
    )) as { pid: number }[]
  const before = new Set((await pidOf()).map(row => row.pid))
  const result = failing(() =>
    store.transact(() => {
      writeTitle(store, 'acme', 'half')
      for (const pid of before) process.kill(pid, 'SIGTERM')
      // The other node connects again, which shows that the server has heard the signal.
      readTitle(other, 'acme')
      while (failing(() => writeTitle(store, 'acme', 'whole')).code === undefined);
    }),
  )
  assert.is(result.code, 'unavailable')
  await answers()
  assert.is(readTitle(store, 'acme'), 'again')
})

test('a server that ends and starts again is used again', async () => {
  const ended = new Promise(resolve => bench.cluster.process.once('exit', resolve))
  bench.cluster.process.kill('SIGINT')
  await ended
  assert.is(failing(() => readTitle(store, 'acme')).code, 'unavailable')
  await bench.cluster.start()
  await answers()
  assert.is(readTitle(store, 'acme'), 'again')
})

/**
 * Starts a proxy in a thread, which ends both sides of a connection where the server answers
 * `instead` for the first time: the answer is lost. Returns its port.
 */
async function startCutter(
  socket: string,
  instead: string,
): Promise<{ port: number; end: () => void }> {
  const code = `
    const { createServer, connect } = require('node:net')
    const { parentPort, workerData: { socket, instead } } = require('node:worker_threads')
    let isCut = false
    const server = createServer(client => {
      const server = connect(socket)
      const end = () => { client.destroy(); server.destroy() }
      client.on('error', end).on('close', end).on('data', data => server.write(data))
      server.on('error', end).on('close', end).on('data', data => {
        const at = data.indexOf(instead)
        if (isCut || at < 0) return client.write(data)
        isCut = true
        // A message begins with its kind and its length.
        client.write(data.subarray(0, at - 5), end)
      })
    })
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`
  const thread = new Worker(code, { eval: true, workerData: { socket, instead } })
  const port = await new Promise<number>(resolve => thread.once('message', resolve))
  return { port, end: () => void thread.terminate() }
}

/** Opens a node behind a proxy that cuts the connection instead of sending an answer. */
async function nodeBehindCutter(instead: string): Promise<{ node: Store; end: () => void }> {
  const { pathname, searchParams } = new URL(bench.url)
  const { port, end } = await startCutter(`${searchParams.get('host')}/.s.PGSQL.5432`, instead)
  const folder = mkdtempSync(join(tmpdir(), 'stemma-cut-'))
  const url = `postgres://stemma@127.0.0.1:${port}${pathname}`
  const node = new Store(join(folder, 'stemma.db'), { postgres: { url } })
  return {
    node,
    end: () => {
      node.close()
      end()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The server's answer to a commit. */
const committed = 'COMMIT\0'

test('a commit whose answer is lost is found to be there', async () => {
  const { node, end } = await nodeBehindCutter(committed)
  try {
    let runs = 0
    node.transact(() => {
      flush(node)
      runs++
      readTitle(node, 'acme')
      writeTitle(node, 'acme', 'committed')
    })
    assert.is(runs, 1)
    assert.is(readTitle(store, 'acme'), 'committed')
  } finally {
    end()
  }
})

test('a single statement whose answer is lost runs once', async () => {
  const { node, end } = await nodeBehindCutter(committed)
  try {
    assert.is(writeTitle(node, 'acme', 'once'), 1)
    assert.is(readTitle(store, 'acme'), 'once')
  } finally {
    end()
  }
})

test('a commit is not taken for that of another transaction with its id, as after a failover', async () => {
  writeTitle(store, 'acme', 'once')
  const name = new URL(bench.url).pathname.slice(1)
  const [row] = await bench.cluster.query(
    'select xid::text, origin from change order by xid desc limit 1',
    name,
  )
  const { xid, origin } = row as { xid: string; origin: string }
  const connection = await Connection.open({ url: bench.url, deadlineMs: 30_000 }, 30_000)
  const ended = (as: string) => failureOfCommit(connection, { xid, origin: as }, () => true)
  assert.is(await ended(origin), undefined)
  assert.is((await ended('another process'))?.sqlState, '08006')
  await connection.close()
})

test('a commit that did not happen is reported', async () => {
  // The server ends the connection while it commits.
  const name = new URL(bench.url).pathname.slice(1)
  await bench.cluster.query(
    `create function cut() returns trigger language plpgsql as
       $$ begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5); return null; end $$;
     create constraint trigger cut after update on organization deferrable initially deferred
       for each row when (new.title = 'cut') execute function cut()`,
    name,
  )
  assert.is(failing(() => writeTitle(store, 'acme', 'cut')).code, 'unavailable')
  await bench.cluster.query('drop trigger cut on organization', name)
  await answers()
  assert.is(readTitle(store, 'acme'), 'once')
})

test('the event loop goes on while the server does not answer', async () => {
  const thaw = await freeze(bench.cluster)
  try {
    failing(() => readTitle(store, 'acme'))
    const from = performance.now()
    for (let turns = 0; turns < 20; turns++) {
      failing(() => readTitle(store, 'acme'))
      await setTimeout(1)
    }
    assert.ok(performance.now() - from < 1_000)
  } finally {
    thaw()
  }
  await answers()
})

test.run()
