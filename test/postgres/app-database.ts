import { randomBytes } from 'node:crypto'
import { Store } from '../../src/store/store.ts'
import { type Cluster, startCluster } from './cluster.ts'

/** A server of PostgreSQL for all tests of this process, and the name of a database with our schema. */
type Ready = { cluster: Cluster; template: string }

let ready: Promise<Ready> | undefined

async function prepare(): Promise<Ready> {
  const cluster = await startCluster()
  const url = await cluster.create()
  // Migrates. The derived rows are in memory.
  new Store(':memory:', { postgres: { url } }).close()
  return { cluster, template: new URL(url).pathname.slice(1) }
}

/**
 * Creates a database with our schema where tests run on PostgreSQL, by TEST_DATABASE=postgres.
 * Returns the settings of a server with it.
 */
export async function databaseSettings(): Promise<Record<string, string>> {
  if (process.env.TEST_DATABASE !== 'postgres') return {}
  ready ??= prepare()
  const { cluster, template } = await ready
  const url = await cluster.create(`template ${template}`)
  // Many tests share the processors.
  return { STEMMA_DATABASE: url, STEMMA_DATABASE_SECONDS: '30' }
}

/** Returns the same settings for a server in a process of its own, which takes no key from its folder. */
export async function serverSettings(): Promise<Record<string, string>> {
  const settings = await databaseSettings()
  return settings.STEMMA_DATABASE
    ? { ...settings, STEMMA_KEYS: randomBytes(32).toString('base64') }
    : settings
}
