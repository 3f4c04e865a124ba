import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { type RunningServer, start } from '../../src/server.ts'
import { type Actor, type App, actor, startApp } from '../support/app.ts'
import { type Cluster, startCluster } from './cluster.ts'

/** Two servers on one database, each with a folder of its own. */
export type Nodes = {
  cluster: Cluster
  a: App
  b: RunningServer
  /** The administrator of "acme" at the second server. */
  adminAtB: Actor
  /** Returns a user at the second server. */
  atB: (user: Actor) => Actor
  stop: () => Promise<void>
}

const keys = { STEMMA_KEYS: Buffer.alloc(32, 7).toString('base64') }

/**
 * Starts two servers, with more settings. `deadlineSeconds` is how long they wait for the database.
 */
export async function startNodes(
  deadlineSeconds = 30,
  more: Record<string, string> = {},
): Promise<Nodes> {
  const cluster = await startCluster()
  const database = {
    STEMMA_DATABASE: await cluster.create(),
    STEMMA_DATABASE_SECONDS: String(deadlineSeconds),
    ...keys,
    ...more,
  }
  const a = await startApp(database)
  const folder = await mkdtemp(join(tmpdir(), 'stemma-test-'))
  const env = { STEMMA_DATA: folder, PORT: '0', NODE_ENV: 'test', ...database }
  const b = await start(readConfig(env), pino({ level: process.env.TEST_LOG ?? 'fatal' }))
  const atB = ({ id, token }: Actor) => actor(b.url, id, token)

  return {
    cluster,
    a,
    b,
    adminAtB: atB(a.admin),
    atB,
    async stop() {
      await b.stop()
      await a.stop()
      cluster.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
