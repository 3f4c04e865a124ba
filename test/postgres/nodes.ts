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
  /** The settings that all nodes have. */
  env: Record<string, string>
  a: App
  readonly b: RunningServer
  /** The administrator of "acme" at the second server. */
  adminAtB: Actor
  /** Returns a user at the second server. */
  atB: (user: Actor) => Actor
  /** Starts the second server that was stopped, with the same folder, which `between` may change. */
  restartB: (between?: (folder: string) => Promise<void> | void) => Promise<void>
  stop: () => Promise<void>
}

/** The settings of nodes that a busy machine must not fail. */
export const nodeSettings = {
  STEMMA_DATABASE_SECONDS: '30',
  STEMMA_KEYS: Buffer.alloc(32, 7).toString('base64'),
  NODE_ENV: 'test',
}

/** Starts two servers, with more settings. */
export async function startNodes(more: Record<string, string> = {}): Promise<Nodes> {
  const cluster = await startCluster()
  const env = { ...nodeSettings, STEMMA_DATABASE: await cluster.create(), ...more }
  const a = await startApp(env)
  const folder = await mkdtemp(join(tmpdir(), 'stemma-test-'))
  const startB = () =>
    start(
      readConfig({ STEMMA_DATA: folder, PORT: '0', ...env }),
      pino({ level: process.env.TEST_LOG ?? 'fatal', base: null }),
    )
  let b = await startB()
  const atB = ({ id, token }: Actor) => actor(b.url, id, token)

  return {
    cluster,
    env,
    a,
    get b() {
      return b
    },
    get adminAtB() {
      return atB(a.admin)
    },
    atB,
    async restartB(between = () => {}) {
      await b.stop()
      await between(folder)
      b = await startB()
    },
    async stop() {
      await b.stop()
      await a.stop()
      cluster.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
