import { latestVersion } from '../migrations.ts'
import { sentenceOf } from '../postgres/bridge.ts'
import { Connection } from '../postgres/connection.ts'
import { migrations } from '../postgres/driver.ts'
import { checkMoved, markOfMoving, prepareDatabase } from '../postgres/prepare-database.ts'
import { otherSchema } from './check-source.ts'

/** The key of the advisory lock of a move: "Stmm". */
const lockKey = 0x53746d6d
/** How long the database may take to accept a connection, in milliseconds. */
const openMs = 10_000

/**
 * Connects to a database to move rows into it, migrates its schema, and keeps other moves away.
 * Nothing that runs on the connection has a deadline. Throws an error with a sentence for the
 * operator.
 */
export const openTarget = (url: string): Promise<Connection> =>
  open(url, async connection => {
    await prepareDatabase(connection, migrations(), { mayBeMoving: true })
    const [row] = await connection.rows('select pg_try_advisory_lock($1)', [lockKey])
    if (row?.[0] !== 1) throw new Error('another "stemma move" uses it.')
  })

/**
 * Connects to a database to read all of it as of one moment, in a transaction that stays open. Throws
 * an error with a sentence for the operator.
 */
export const openSource = (url: string): Promise<Connection> =>
  open(url, async connection => {
    await checkMoved(connection)
    const latest = latestVersion(migrations())
    const held = await versionOf(connection)
    if (held !== latest) throw new Error(otherSchema(held, latest))
    await connection.script('begin isolation level repeatable read read only')
  })

async function versionOf(connection: Connection): Promise<number> {
  const [row] = await connection.rows("select to_regclass('stemma_schema') is not null")
  if (row?.[0] !== 1) throw new Error('it has no rows of Stemma.')
  const [held] = await connection.rows('select max(version) from stemma_schema')
  return held?.[0] as number
}

async function open(
  url: string,
  prepare: (connection: Connection) => Promise<void>,
): Promise<Connection> {
  let connection: Connection | undefined
  try {
    connection = await Connection.open({ url, deadlineMs: openMs }, openMs)
    await connection.script(
      'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0',
    )
    await prepare(connection)
    return connection
  } catch (error) {
    connection?.drop()
    const { code, message } = error as { code?: string; message: string }
    throw new Error(sentenceOf(url, String(code ?? ''), message))
  }
}

/** Marks a database as one into which rows are moved. Returns whether it was marked before. */
export async function beginMoving(connection: Connection): Promise<boolean> {
  const [row] = await connection.rows('select to_regclass($1) is not null', [markOfMoving])
  await connection.script(`create table if not exists ${markOfMoving} (since timestamptz not null)`)
  return row?.[0] === 1
}

/** Takes the mark away: nodes may start. */
export const endMoving = (connection: Connection): Promise<void> =>
  connection.script(`drop table if exists ${markOfMoving}`)

/** Returns how many connections of nodes and commands a database has beside this one. */
export async function countUsers(connection: Connection): Promise<number> {
  const [row] = await connection.rows(`
    select count(*) from pg_stat_activity
    where datname = current_database() and application_name = 'stemma' and pid <> pg_backend_pid()`)
  return row?.[0] as number
}
