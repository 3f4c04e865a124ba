import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { haveFollowed } from '../../../src/actions/catch-up/catch-up.ts'
import { readConfig } from '../../../src/config.ts'
import type { Context } from '../../../src/context.ts'
import { openContext } from '../../../src/open.ts'
import { type Cluster, startCluster } from '../cluster.ts'
import { nodeSettings } from '../nodes.ts'
import type { Work } from './interleave.ts'
import { withOperations } from './operation.ts'

/** A node: its context, and operations of its API as a user. */
export type RaceNode = Context & {
  /** Does what precedes the transaction of an operation. Returns the rest. */
  operation: (userId: string, asked: string, body?: object) => Promise<Work>
}

/** Two nodes of one database. */
export type Nodes = readonly [RaceNode, RaceNode]

/** A server of PostgreSQL, on whose databases two nodes work. */
export type RaceBench = {
  /** Opens two nodes on a new database; without SERIALIZABLE as a control. */
  open: (isolation: 'serializable' | 'read committed') => Promise<Nodes>
  /** The address of the database of a node. */
  url: (node: Context) => string
  stop: () => Promise<void>
}

/** A quota of the nodes, so that few rows reach it. */
export const mostSpacesPerDay = 3

export async function openRaceBench(): Promise<RaceBench> {
  const cluster: Cluster = await startCluster()
  const folder = mkdtempSync(join(tmpdir(), 'stemma-races-'))
  const opened: ReturnType<typeof openContext>[] = []
  const node = (url: string) => {
    const config = readConfig({
      STEMMA_DATA: mkdtempSync(join(folder, 'node-')),
      STEMMA_DATABASE: url,
      ...nodeSettings,
      STEMMA_MAX_SPACES_PER_DAY: String(mostSpacesPerDay),
    })
    const ctx = openContext(config, pino({ level: 'silent' }))
    opened.push(ctx)
    return withOperations(ctx)
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
    url: ({ config }) => config.database!.url,
    stop: async () => {
      await Promise.all(opened.map(haveFollowed))
      for (const ctx of opened) ctx.close()
      cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
