import { fork } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Cluster, startCluster } from '../../postgres/cluster.ts'
import { median } from '../figure.ts'
import { type Stemma, startStemma } from '../stemma.ts'

/** How much longer a statement takes to the database that is far, in milliseconds. */
const networkMs = 0.5

/** A durable PostgreSQL server, on this machine and as if on another one. */
export type Databases = {
  cluster: Cluster
  /** Returns the address of a database at the end of a network with a round trip of 0.5 ms. */
  far: (url: string) => string
  /** Returns the milliseconds that a statement takes at an address. */
  tripMs: (url: string) => Promise<number>
}

/** Runs `work` with a server, whose files are where those of the nodes are. */
export async function withDatabases<Result>(
  work: (databases: Databases) => Promise<Result>,
): Promise<Result> {
  const settings = ['fsync=on', 'full_page_writes=on', 'synchronous_commit=on']
  const cluster = await startCluster({ settings, base: tmpdir() })
  const script = fileURLToPath(new URL('./delay-child.ts', import.meta.url))
  const relay = fork(script, [cluster.socket])
  try {
    const [port] = (await once(relay, 'message')) as [number]
    const far = (url: string) => `postgres://stemma@127.0.0.1:${port}${new URL(url).pathname}`
    const delayMs = await delayFor(await cluster.create(), far)
    relay.send(delayMs)
    return await work({ cluster, far, tripMs })
  } finally {
    relay.disconnect()
    cluster.stop()
  }
}

/** Returns the delay each way with which a statement takes `networkMs` longer: the relay takes time too. */
async function delayFor(url: string, far: (url: string) => string): Promise<number> {
  const ofRelay = (await tripMs(far(url))) - (await tripMs(url))
  return Math.max(0, (networkMs - ofRelay) / 2)
}

async function tripMs(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const taken: number[] = []
    for (let n = 0; n < 300; n++) {
      const started = performance.now()
      await client.query('select 1')
      taken.push(performance.now() - started)
    }
    return median(taken.slice(50))
  } finally {
    await client.end()
  }
}

const env = { STEMMA_MAX_COMMENTS_PER_HOUR: '1000000' }

/** Runs `work` with a server that keeps its rows in a file. */
export const startEmbedded = (): Promise<Stemma> => startStemma({ env })

/** Starts nodes on one database, one after the other. */
export async function startNodes(url: string, count: number): Promise<Stemma[]> {
  const nodes: Stemma[] = []
  const keys = Buffer.alloc(32, 7).toString('base64')
  for (let n = 0; n < count; n++)
    nodes.push(await startStemma({ env: { ...env, STEMMA_DATABASE: url, STEMMA_KEYS: keys } }))
  return nodes
}

/**
 * What the use of the database has cost a node since its start, and its longest wait since the last
 * call of `costOf`.
 */
export type Cost = { trips: number; waitedMs: number; longestMs: number; repeats: number }

export async function costOf({ caller }: Stemma): Promise<Cost> {
  const text = (await caller.call('GET', '/metrics')).bytes.toString()
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:{.*})? (\\S+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    )
  return {
    trips: sum('stemma_database_trips_total'),
    waitedMs: sum('stemma_database_wait_seconds_total') * 1000,
    longestMs: sum('stemma_database_wait_longest_seconds') * 1000,
    repeats: sum('stemma_database_repeats_total'),
  }
}
