import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { copyToSqlite } from '../../store/engine/moving/copy.ts'
import {
  findRepository,
  type LooseRows,
  listLooseRows,
} from '../../store/engine/moving/git-rows.ts'
import { openSource } from '../../store/engine/moving/moving-database.ts'
import type { Connection } from '../../store/engine/postgres/connection.ts'
import { Store } from '../../store/store.ts'
import { repositoryFolder } from '../repositories/repository-of.ts'
import { buildFromRows } from './build-from-rows.ts'

/** A database as of one moment, as a data folder whose repositories are there while they are used. */
export type Snapshot = {
  /** The context of the folder, with the same keys and settings. */
  ctx: Context
  /** Returns the tables with rows of repositories that no node uses. */
  looseRows: () => Promise<LooseRows[]>
  /**
   * Runs `work` while the repository with a key is there. Throws if its packs are damaged, or are not
   * what its refs need. If it is in no row, it is not there.
   */
  withRepository: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>
}

/**
 * Runs `work` on a copy of the rows in PostgreSQL as of one moment, beside nodes that write, in a
 * folder that it removes.
 */
export async function withSnapshot<Result>(
  ctx: Context,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const tmp = join(ctx.config.dataDir, 'tmp')
  await mkdir(tmp, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(tmp, 'snapshot-'))
  let source: Connection | undefined
  let store: Store | undefined
  try {
    source = await openSource(ctx.config.database!.url)
    const file = join(folder, 'stemma.db')
    await copyToSqlite(source, file)
    store = new Store(file, { alone: true })
    return await work(snapshotOf(ctx, source, store, folder))
  } finally {
    store?.close()
    await source?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function snapshotOf(ctx: Context, source: Connection, store: Store, dataDir: string): Snapshot {
  const config = { ...ctx.config, dataDir, database: undefined }
  const copy: Context = { ...ctx, config, store }
  return {
    ctx: copy,
    looseRows: () => listLooseRows(source),
    withRepository: async (key, work) => {
      const dir = repositoryFolder(copy, key)
      try {
        const held = await findRepository(source, key)
        if (held) await buildFromRows(source, ctx.processes, { ...held, key, dir })
        return await work()
      } finally {
        ctx.processes.closeRepository(dir)
        if (existsSync(dir)) await rm(dir, { recursive: true })
      }
    },
  }
}
