import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Moved } from '../../../actions/moving/to-database.ts'
import { type Config, isDatabase } from '../../../config.ts'
import { findHeld, prepareFolder } from '../../folder/prepare-folder.ts'
import { holdFolder, readSettings, requireKeys } from '../../folder/settings.ts'
import { withFolder } from '../../folder/with-folder.ts'
import { exitUsage, Failure } from '../../output/failure.ts'
import { counted, print, printJson } from '../../output/print.ts'
import { type Progress, watch } from '../../output/progress.ts'
import { newQuery } from '../new-command.ts'

/** Defines `stemma move`: everything to a PostgreSQL database, or back. */
export const moveCommand = (): Command =>
  newQuery(
    'move',
    'Copy everything from the data folder into an empty PostgreSQL database, or, with STEMMA_DATABASE set, from the database into an empty folder. Servers must be stopped. The source is not changed. What was copied is read again and compared. If the command is interrupted, run it again. A password need not be in the address: PGPASSWORD and .pgpass are used',
    'STEMMA_DATA=/srv/stemma stemma move --to postgres://stemma@db.example.org/stemma',
  )
    .summary('Copy everything to PostgreSQL, or from there into a folder')
    .requiredOption('--to <place>', 'the address of a database, or a folder')
    .action(move)

async function move({ to, json }: { to: string; json?: true }): Promise<void> {
  const config = readSettings()
  const progress = watch(true)
  const done = await (isDatabase(to) ? intoDatabase : intoFolder)(config, to, progress).finally(
    () => progress.end(),
  )
  if (json) printJson({ to: placeOf(to), ...figuresOf(done.moved) })
  else {
    const { rows, tables, repositories } = figuresOf(done.moved)
    print(
      `Copied and compared: ${counted(rows, 'row')} in ${counted(tables, 'table')}, ${counted(repositories, 'repository', 'repositories')}.`,
    )
    print(done.next)
  }
}

type Done = { moved: Moved; next: string }

async function intoDatabase(config: Config, url: string, progress: Progress): Promise<Done> {
  const { dataDir } = config
  if (config.database)
    throw new Failure(
      'STEMMA_DATABASE is set: the rows are in PostgreSQL already. Unset it to move those of the data folder.',
      exitUsage,
    )
  const { moveToDatabase } = await import('../../../actions/moving/to-database.ts')
  const { checkSource } = await import('../../../store/engine/moving/check-source.ts')
  const file = join(dataDir, 'stemma.db')
  // Opening the folder would bring an older schema up to date.
  if (existsSync(file)) checkSource(file)
  // Fails first if there is no data folder.
  await withFolder(() => {})
  const unlock = holdFolder(dataDir, 'moving to PostgreSQL')
  try {
    const moved = await withFolder(ctx => moveToDatabase(ctx, url, shownBy(progress)))
    return { moved, next: nextOnNodes(dataDir) }
  } finally {
    unlock()
  }
}

const nextOnNodes = (dataDir: string): string =>
  `${dataDir} is as it was: keep it until the nodes have been in use for a while. On each node set
  STEMMA_DATA      to an empty folder of its own
  STEMMA_DATABASE  to the address of the database
  STEMMA_KEYS      to the key of ${dataDir}: base64 < ${join(dataDir, 'key')}`

/** What an interrupted move has left in a folder. */
const left = new Set(['moving', 'spaces', 'specs', 'key'])

async function intoFolder(config: Config, to: string, progress: Progress): Promise<Done> {
  const { database, dataDir, keys } = config
  const folder = resolve(to)
  if (/^\w+:/.test(to))
    throw new Failure('--to must be such as postgres://user@host/database, or a folder.', exitUsage)
  if (!database)
    throw new Failure(
      'Set STEMMA_DATABASE to the database that is moved into the folder. To move into a database, give its address with --to.',
      exitUsage,
    )
  requireKeys(config)
  const { moveToFolder } = await import('../../../actions/moving/to-folder.ts')
  prepareFolder(folder, '--to')
  const isBegun = existsSync(join(folder, 'moving'))
  const held = findHeld(folder, name => isBegun && left.has(name))
  if (held !== undefined)
    throw new Failure(
      `${folder} is not empty (it contains "${held}"), and a move never overwrites anything. Name another folder.`,
    )
  const unlock = holdFolder(folder, 'moving from PostgreSQL')
  try {
    const from = { dataDir, keys, url: database.url }
    const moved = await moveToFolder(from, folder, shownBy(progress))
    const next = `The database is as it was. Set STEMMA_DATA to ${folder}, and unset STEMMA_DATABASE and STEMMA_KEYS.`
    return { moved, next }
  } finally {
    unlock()
  }
}

const shownBy = (progress: Progress) => ({
  onTable: (table: string, at: number, of: number) => progress.show(`table ${table}`, at, of),
  onRepository: (key: string, at: number, of: number) => progress.show(key, at, of),
})

const figuresOf = ({ tables, repositories }: Moved) => ({
  rows: [...tables.values()].reduce((sum, { rows }) => sum + rows, 0),
  tables: tables.size,
  repositories,
})

/** Returns a place without a password. */
function placeOf(to: string): string {
  if (!isDatabase(to)) return resolve(to)
  const url = new URL(to)
  url.password = ''
  return url.href
}
