import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { readConfig } from '../../../src/config.ts'
import type { Context } from '../../../src/context.ts'
import { openContext } from '../../../src/open.ts'
import { type Cluster, startCluster } from '../cluster.ts'

/** Two nodes of one database. */
export type Nodes = readonly [Context, Context]

/** A server of PostgreSQL, on whose databases two nodes work. */
export type RaceBench = {
  /** Opens two nodes on a new database; without SERIALIZABLE as a control. */
  open: (isolation: 'serializable' | 'read committed') => Promise<Nodes>
  stop: () => void
}

/** The quotas of the nodes, so that few rows reach them. */
export const mostSpacesPerDay = 3

export async function openRaceBench(): Promise<RaceBench> {
  const cluster: Cluster = await startCluster()
  const folder = mkdtempSync(join(tmpdir(), 'stemma-races-'))
  const opened: ReturnType<typeof openContext>[] = []
  const node = (url: string) => {
    const config = readConfig({
      STEMMA_DATA: mkdtempSync(join(folder, 'node-')),
      STEMMA_DATABASE: url,
      // A busy machine must not end a transaction.
      STEMMA_DATABASE_SECONDS: '30',
      STEMMA_KEYS: Buffer.alloc(32, 'k').toString('base64'),
      STEMMA_MAX_SPACES_PER_DAY: String(mostSpacesPerDay),
      NODE_ENV: 'test',
    })
    const ctx = openContext(config, pino({ level: 'silent' }))
    opened.push(ctx)
    return ctx
  }

  return {
    open: async isolation => {
      const url = await cluster.create()
      if (isolation === 'read committed') process.env.STEMMA_TEST_READ_COMMITTED = '1'
      try {
        return [node(url), node(url)]
      } finally {
        delete process.env.STEMMA_TEST_READ_COMMITTED
      }
    },
    stop: () => {
      for (const ctx of opened) ctx.close()
      cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
