import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { haveFollowed } from '../../src/actions/catch-up/catch-up.ts'
import { readConfig } from '../../src/config.ts'
import { openContext } from '../../src/open.ts'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { insertUser } from '../../src/store/people/users.ts'
import { putDatabase } from './database.ts'
import { checkRepositories } from './whole.ts'

/** An open data folder without a server. Jobs run only if the test runs them. */
export type Folder = {
  ctx: ReturnType<typeof openContext>
  /** The id of an admin of the organization "acme". */
  adminId: string
  /** Closes the folder, checks every repository, and removes the folder. */
  close: () => Promise<void>
}

/** Opens a new data folder for tests of what happens while no server runs. */
export async function openFolder(): Promise<Folder> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stemma-test-'))
  putDatabase(dataDir)
  const ctx = openContext(
    readConfig({ STEMMA_DATA: dataDir, NODE_ENV: 'test' }),
    pino({ level: 'silent' }),
  )
  const at = '2026-01-01T00:00:00.000Z'

  insertOrganization(ctx.store, { id: 'acme', title: 'Acme', created_at: at })
  insertUser(ctx.store, {
    id: 'ada',
    display_name: 'Ada',
    email: 'ada@example.org',
    created_at: at,
  })
  putMember(ctx.store, 'acme', 'ada', 'admin', at)

  return {
    ctx,
    adminId: 'ada',
    close: async () => {
      await haveFollowed(ctx)
      ctx.close()
      try {
        await checkRepositories(dataDir)
      } finally {
        await rm(dataDir, { recursive: true, force: true })
      }
    },
  }
}
