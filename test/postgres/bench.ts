import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { query, Store, sqlRows } from '../../src/store/store.ts'
import { type Cluster, startCluster } from './cluster.ts'

/** A server with a database, and stores on it. */
export type Bench = {
  cluster: Cluster
  url: string
  /** Opens a store with a folder of its own, as a node does. */
  node: (deadlineMs?: number) => Store
  /** Opens a store on a new database. */
  alone: () => Promise<Store>
  stop: () => void
}

export async function openBench(): Promise<Bench> {
  const cluster = await startCluster()
  const url = await cluster.create()
  const folder = mkdtempSync(join(tmpdir(), 'stemma-nodes-'))
  const stores: Store[] = []
  const open = (postgres: { url: string; deadlineMs?: number }) => {
    const dir = mkdtempSync(join(folder, 'node-'))
    const store = new Store(join(dir, 'stemma.db'), { postgres })
    stores.push(store)
    return store
  }

  return {
    cluster,
    url,
    node: deadlineMs => open({ url, ...(deadlineMs && { deadlineMs }) }),
    alone: async () => open({ url: await cluster.create() }),
    stop() {
      for (const store of stores) store.close()
      cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const at = '2026-01-01T00:00:00.000Z'

/** Inserts an organization with users who are its administrators. */
export function putAdmins(store: Store, organization: string, users: readonly string[]): void {
  store.run(
    query.insertInto('organization').values({ id: organization, title: 'T', created_at: at }),
  )
  for (const id of users) {
    store.run(query.insertInto('user').values({ id, display_name: id, created_at: at }))
    store.run(
      query.insertInto('member').values({
        organization_id: organization,
        user_id: id,
        role: 'admin',
        joined_at: at,
      }),
    )
  }
}

export const readTitle = (store: Store, id: string): string | undefined =>
  store.get(query.selectFrom('organization').select('title').where('id', '=', id))?.title

export const writeTitle = (store: Store, id: string, title: string): number =>
  store.run(query.updateTable('organization').set({ title }).where('id', '=', id))

/** Stops all processes of a server. Returns what lets them go on. */
export async function freeze({ process: server, query }: Cluster): Promise<() => void> {
  const rows = await query('select pid from pg_stat_activity')
  const pids = [...rows.map(row => Number(row.pid)), server.pid as number]
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, name)
      } catch {
        // The process of the query itself has ended.
      }
    }
  }
  signal('SIGSTOP')
  return () => signal('SIGCONT')
}

/** Ends the connections of all nodes at the server. */
export const endConnections = ({ query }: Cluster): Promise<unknown> =>
  query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'stemma' and pid <> pg_backend_pid()`,
  )

let flushes = 0

/**
 * Runs a statement that has never run before. The statements of the transaction that wait are sent
 * with it, and a run of work that only tells what it reads ends here.
 */
export const flush = (store: Store): unknown =>
  store.all(sqlRows(sql`select ${sql.raw(String(++flushes))} as flushed`))
