import { latestVersion, type Migration, newerSchema } from '../migrations.ts'
import type { Connection } from './connection.ts'

/** The key of the advisory lock of migrations: "Stma". */
const lockKey = 0x53746d61

/** The table that a database has while rows are moved into it. */
export const markOfMoving = 'stemma_moving'

const howToCreate =
  'Create it with: createdb --template=template0 --encoding=UTF8 --locale=C stemma'

/**
 * Checks that the database can hold our rows, and migrates its schema, a transaction per step, on a
 * connection that waits for as long as it takes. Throws an error with a sentence for the operator,
 * also while rows are moved into the database, unless it `mayBeMoving`.
 */
export async function prepareDatabase(
  connection: Connection,
  steps: readonly Migration[],
  { mayBeMoving = false } = {},
): Promise<void> {
  await checkDatabase(connection)
  if (!mayBeMoving) await checkMoved(connection)
  await connection.script('set statement_timeout = 0; set lock_timeout = 0')
  // Other nodes wait here, and find the newest schema.
  await connection.rows('select pg_advisory_lock($1)', [lockKey])
  try {
    await migrate(connection, steps)
  } finally {
    await connection.rows('select pg_advisory_unlock($1)', [lockKey])
  }
}

async function checkDatabase(connection: Connection): Promise<void> {
  const [row] = await connection.rows(`
    select current_setting('server_version_num')::int, pg_encoding_to_char(encoding),
      datcollate, datctype, coalesce(to_jsonb(d) ->> 'datlocprovider', 'c')
    from pg_database d where datname = current_database()`)
  const [version, encoding, collate, ctype, provider] = row as [number, ...string[]]
  if (version < 150000)
    throw new Error('PostgreSQL must have version 15 or newer: upgrade the server of the database.')
  const isC = [collate, ctype].every(each => each === 'C' || each === 'POSIX') && provider === 'c'
  if (encoding !== 'UTF8' || !isC)
    throw new Error(
      `The database must have the encoding UTF8 and the locale C, but has ${encoding} and ${collate}. ${howToCreate}`,
    )
}

/** Throws an error with a sentence for the operator while rows are moved into the database. */
export async function checkMoved(connection: Connection): Promise<void> {
  const [row] = await connection.rows('select to_regclass($1) is not null', [markOfMoving])
  if (row?.[0] === 1)
    throw new Error(
      'a move into it has not ended. Wait for "stemma move", or run the same "stemma move" again.',
    )
}

async function migrate(connection: Connection, steps: readonly Migration[]): Promise<void> {
  const latest = latestVersion(steps)
  const held = await heldVersion(connection)
  if (held > latest) throw new Error(newerSchema(held, latest))
  for (const { version, sql } of steps) {
    if (version <= held) continue
    await connection.script(
      `begin; ${sql}; delete from stemma_schema; insert into stemma_schema values (${version}); commit`,
    )
  }
}

/** Returns the version of the schema; 0 for an empty database. */
async function heldVersion(connection: Connection): Promise<number> {
  const [found] = await connection.rows(`
    select to_regclass('stemma_schema') is not null,
      (select count(*) from pg_class
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p'))`)
  const [isOurs, tables] = found as [number, number]
  if (!isOurs && tables > 0)
    throw new Error(
      `The database has tables of another program: set STEMMA_DATABASE to another one. ${howToCreate}`,
    )
  await connection.script('create table if not exists stemma_schema (version integer not null)')
  const [row] = await connection.rows('select max(version) from stemma_schema')
  return (row?.[0] as number | null) ?? 0
}
