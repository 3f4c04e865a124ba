import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { haveFollowed } from '../../../src/actions/catch-up/catch-up.ts'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { makeApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { openContext } from '../../../src/open.ts'
import type { Figures } from '../../../src/store/engine/figures.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { insertUser } from '../../../src/store/people/users.ts'
import { actor } from '../../support/app.ts'
import { type Cluster, startCluster } from '../cluster.ts'

const at = '2026-01-01T00:00:00.000Z'

export type Costs = Pick<Figures, 'trips' | 'blocks'>

/** A server on PostgreSQL that does nothing but answer requests: no job, no check. */
export async function startMeasured() {
  const cluster: Cluster = await startCluster()
  const dataDir = await mkdtemp(join(tmpdir(), 'stemma-test-'))
  const config = readConfig({
    STEMMA_DATA: dataDir,
    STEMMA_DATABASE: await cluster.create(),
    STEMMA_DATABASE_SECONDS: '30',
    STEMMA_KEYS: Buffer.alloc(32, 7).toString('base64'),
    NODE_ENV: 'test',
  })
  let url = ''
  const ctx = openContext(config, pino({ level: 'fatal' }), { publicUrl: () => url })
  const server = createServer(makeApp(ctx))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  insertOrganization(ctx.store, { id: 'acme', title: 'Acme', created_at: at })
  insertUser(ctx.store, { id: 'ada', display_name: 'Ada', email: 'a@example.org', created_at: at })
  putMember(ctx.store, 'acme', 'ada', 'admin', at)
  const { secret } = createToken(ctx.store, { userId: 'ada', name: 'test' }, ctx.now())
  const costs = () => ({ trips: 0, blocks: 0, ...ctx.store.figures })
  const looks = () => ctx.store.gate?.looks ?? 0

  return {
    ctx,
    admin: actor(url, 'ada', secret),
    /** Returns how often `work` waited for the database, and how often that blocked the server. */
    async costsOf(work: () => Promise<unknown>): Promise<Costs> {
      const before = costs()
      await work()
      const after = costs()
      return { trips: after.trips - before.trips, blocks: after.blocks - before.blocks }
    },
    /** Returns how often the server looked at other nodes while `work` ran. */
    async looksOf(work: () => Promise<unknown>): Promise<number> {
      const before = looks()
      await work()
      return looks() - before
    },
    async stop(): Promise<void> {
      await new Promise(resolve => server.close(resolve))
      await haveFollowed(ctx)
      ctx.close()
      cluster.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export type Measured = Awaited<ReturnType<typeof startMeasured>>
