import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../errors.ts'
import { GitProcesses } from '../../git/process/processes.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { copyToSqlite } from '../../store/engine/moving/copy.ts'
import { findRepository, listRepositories } from '../../store/engine/moving/git-rows.ts'
import { countUsers, openSource } from '../../store/engine/moving/moving-database.ts'
import type { Connection } from '../../store/engine/postgres/connection.ts'
import { placeParts } from '../repositories/place-parts.ts'
import { repositoryFolder } from '../repositories/repository-of.ts'
import { buildFromRows } from './build-from-rows.ts'
import { type Keys, putKey } from './put-key.ts'
import type { Moved, MoveOptions } from './to-database.ts'

/** The folder in which everything is prepared before it is moved into place. */
export const movingFolder = 'moving'

/** Where the rows and the key come from. */
type Source = Keys & { url: string }

/** What a folder has at the end, in the order in which it is moved into place. */
const parts = ['spaces', 'specs', 'key', 'stemma.db'] as const

/**
 * Moves all rows and repositories of a PostgreSQL database, as of one moment, into an empty folder,
 * whose lock the caller holds. No node may run. The database stays as it is. Everything is prepared
 * in a folder of its own and then moved into place, the rows last: a repeated call starts over. The
 * caller has checked that the folder has nothing else. Throws Fault, and errors with a sentence for the operator.
 */
export async function moveToFolder(
  from: Source,
  folder: string,
  options: MoveOptions = {},
): Promise<Moved> {
  const staging = join(folder, movingFolder)
  const processes = new GitProcesses()
  const source = await openSource(from.url)
  try {
    await checkUnused(source)
    // Parts that an earlier call has moved into place.
    if (existsSync(staging))
      for (const name of [...parts, movingFolder])
        await rm(join(folder, name), { recursive: true, force: true })
    await mkdir(staging, { mode: 0o700 })
    await putKey(from, join(staging, 'key'))
    crashPoint('M1')
    const tables = await copyToSqlite(source, join(staging, 'stemma.db'), options.onTable)
    crashPoint('M2')
    const repositories = await makeRepositories(source, processes, staging, options)
    // What a node has written meanwhile would be lost.
    await checkUnused(source)
    await placeParts(staging, folder, parts, () => crashPoint('M4'))
    crashPoint('M5')
    await rm(staging, { recursive: true, force: true })
    return { tables, repositories }
  } finally {
    await source.close()
    processes.close()
  }
}

async function checkUnused(source: Connection): Promise<void> {
  if ((await countUsers(source)) > 0)
    throw new Fault(
      'data_not_ready',
      'A node or a command of Stemma uses the database. Stop all of them, and try again.',
    )
}

async function makeRepositories(
  source: Connection,
  processes: GitProcesses,
  dataDir: string,
  { onRepository = () => {} }: MoveOptions,
): Promise<number> {
  const keys = await listRepositories(source)
  for (const [at, key] of keys.entries()) {
    onRepository(key, at, keys.length)
    const held = await findRepository(source, key)
    const dir = repositoryFolder({ config: { dataDir } }, key)
    if (held) await buildFromRows(source, processes, { ...held, key, dir })
    crashPoint('M3')
  }
  return keys.length
}
