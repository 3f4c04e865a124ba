import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { inParts } from '../../git/exchange/in-parts.ts'
import { packObjects } from '../../git/exchange/pack-objects.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { randomId } from '../../lib/digest.ts'
import { checkSource } from '../../store/engine/moving/check-source.ts'
import {
  type Copied,
  copyToPostgres,
  isEmpty,
  type OnTable,
} from '../../store/engine/moving/copy.ts'
import {
  deleteRepository,
  findRepository,
  insertRepository,
  keepRepositories,
  type RefsOf,
} from '../../store/engine/moving/git-rows.ts'
import {
  beginMoving,
  countUsers,
  endMoving,
  openTarget,
} from '../../store/engine/moving/moving-database.ts'
import { openRows } from '../../store/engine/moving/sqlite-rows.ts'
import type { Connection } from '../../store/engine/postgres/connection.ts'
import { repositoryOf } from '../repositories/repository-of.ts'
import { areSame, buildFromRows } from './build-from-rows.ts'
import { listKeys, readRefs } from './check-source.ts'

/** The rows of the folder. */
type Rows = ReturnType<typeof openRows>
export type OnRepository = (key: string, at: number, of: number) => void
export type MoveOptions = { onTable?: OnTable | undefined; onRepository?: OnRepository }

/** What a move has copied. */
export type Moved = { tables: Copied; repositories: number }

/**
 * Moves all rows and repositories of a data folder into an empty PostgreSQL database. The caller holds
 * the lock of the folder, which stays as it is. The database is marked until all is there: nodes do
 * not start on it, and a repeated call starts over, but keeps the repositories that are there. Throws
 * Fault, and errors with a sentence for the operator.
 */
export async function moveToDatabase(
  ctx: Context,
  url: string,
  { onTable = () => {}, onRepository = () => {} }: MoveOptions = {},
): Promise<Moved> {
  const keys = listKeys(ctx)
  for (const key of keys) await readRefs(ctx, key)
  checkSource(ctx.store.file)
  const source = openRows(ctx.store.file)
  let target: Connection | undefined
  try {
    target = await openTarget(url)
    await claim(target, source)
    crashPoint('M1')
    const tables = await copyRows(source, target, keys, onTable)
    crashPoint('M2')
    for (const [at, key] of keys.entries()) {
      onRepository(key, at, keys.length)
      await moveRepository(ctx, target, key)
      crashPoint('M3')
    }
    await endMoving(target)
    return { tables, repositories: keys.length }
  } finally {
    await target?.close()
    source.close()
  }
}

/** Marks an empty database. Throws Fault if it has rows, or is in use. */
async function claim(target: Connection, source: Rows): Promise<void> {
  const wasMarked = await beginMoving(target)
  const refuse = async (sentence: string): Promise<never> => {
    if (!wasMarked) await endMoving(target)
    throw new Fault('data_not_ready', sentence)
  }
  if (!wasMarked && !(await isEmpty(target, source)))
    await refuse('The database is not empty, and a move never overwrites anything. Create another.')
  if ((await countUsers(target)) > 0)
    await refuse('A node or a command of Stemma uses the database. Stop it, and try again.')
}

async function inTransaction<Result>(
  connection: Connection,
  work: () => Promise<Result>,
): Promise<Result> {
  await connection.script('begin')
  const result = await work()
  await connection.script('commit')
  return result
}

const copyRows = (
  source: Rows,
  target: Connection,
  keys: string[],
  onTable: OnTable,
): Promise<Copied> =>
  inTransaction(target, async () => {
    await keepRepositories(target, keys)
    return copyToPostgres(source, target, onTable)
  })

/** Moves a repository, unless an earlier call has done so. */
async function moveRepository(ctx: Context, target: Connection, key: string): Promise<void> {
  const source = await readRefs(ctx, key)
  const held = await findRepository(target, key)
  if (held && held.head === source.head && areSame(held.refs, source.refs)) return

  await inTransaction(target, async () => {
    await deleteRepository(target, key)
    const wants = [...new Set(source.refs.values())]
    const parts = inParts(wants.length > 0 ? packObjects(repositoryOf(ctx, key), { wants }) : [])
    await insertRepository(target, key, { ...source, epoch: randomId(), parts })
    await tryOut(ctx, target, { ...source, key })
  })
}

/** Makes the repository from its rows, which are not committed yet, and checks it. */
async function tryOut(
  ctx: Context,
  target: Connection,
  moved: RefsOf & { key: string },
): Promise<void> {
  const tmp = join(ctx.config.dataDir, 'tmp')
  await mkdir(tmp, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(tmp, 'moving-'))
  try {
    await buildFromRows(target, ctx.processes, { ...moved, dir: join(folder, 'tried.git') })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
