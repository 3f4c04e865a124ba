import type Database from 'better-sqlite3'
import { mustGet } from '../../../lib/must-get.ts'
import type { Connection } from '../postgres/connection.ts'
import { openDatabase } from '../sqlite/open-database.ts'
import { Digest, type TableDigest } from './digest.ts'
import * as postgres from './postgres-rows.ts'
import { type Row, type Shape, shapeOfRefs, shapesOf } from './shapes.ts'
import * as sqlite from './sqlite-rows.ts'

/** What was copied, by table. */
export type Copied = ReadonlyMap<string, TableDigest>
export type OnTable = (table: string, at: number, of: number) => void

/**
 * Replaces all rows of a PostgreSQL database but those of the table `ref` by those of stemma.db, in
 * the open transaction. Reads them again, and throws if a table differs.
 */
export async function copyToPostgres(
  source: Database.Database,
  target: Connection,
  onTable: OnTable,
): Promise<Copied> {
  const shapes = shapesOf(source)
  const putKeysBack = await postgres.withoutKeys(target, shapes)
  await target.script(`truncate ${shapes.map(({ table }) => `"${table}"`).join(', ')}`)
  const copied = new Map<string, TableDigest>()

  for (const [at, shape] of shapes.entries()) {
    onTable(shape.table, at, shapes.length)
    const digest = new Digest()
    for (const rows of sqlite.readSqlite(source, shape)) {
      digest.add(rows)
      await postgres.writePostgres(target, shape, rows).catch(refusedBy(shape))
    }
    if (shape.isNumbered)
      await postgres.setLastNumber(target, shape, sqlite.lastNumber(source, shape))
    copied.set(shape.table, digest.end())
  }

  await putKeysBack()
  for (const shape of shapes)
    check(shape, copied, await digestOf(postgres.readPostgres(target, shape)))
  return copied
}

/**
 * Writes all rows of a PostgreSQL database, as its open transaction sees them, to a new file with our
 * schema, with all refs. Reads them again, and throws if a table differs.
 */
export async function copyToSqlite(
  source: Connection,
  file: string,
  onTable: OnTable = () => {},
): Promise<Copied> {
  const target = openDatabase(file, { alone: true })
  try {
    const shapes = shapesOf(target)
    const copied = new Map<string, TableDigest>()
    target.pragma('foreign_keys = off')
    target.exec('begin immediate')
    const triggers = sqlite.triggersOf(target)
    for (const { name } of triggers) target.exec(`drop trigger "${name}"`)

    for (const [at, shape] of shapes.entries()) {
      onTable(shape.table, at, shapes.length)
      copied.set(shape.table, await fill(source, target, shape))
    }

    await fill(source, target, shapeOfRefs(target))
    for (const { sql } of triggers) target.exec(sql)
    target.exec('commit')
    checkKeys(target)
    for (const shape of shapes)
      check(shape, copied, await digestOf(sqlite.readSqlite(target, shape)))
    return copied
  } finally {
    target.close()
  }
}

async function fill(
  source: Connection,
  target: Database.Database,
  shape: Shape,
): Promise<TableDigest> {
  const digest = new Digest()
  const write = sqlite.sqliteWriter(target, shape)
  for await (const rows of postgres.readPostgres(source, shape)) {
    digest.add(rows)
    write(rows)
  }
  if (shape.isNumbered)
    sqlite.setLastNumber(target, shape, await postgres.lastNumber(source, shape))
  return digest.end()
}

async function digestOf(portions: AsyncIterable<Row[]> | Iterable<Row[]>): Promise<TableDigest> {
  const digest = new Digest()
  for await (const rows of portions) digest.add(rows)
  return digest.end()
}

function check({ table }: Shape, copied: Copied, found: TableDigest): void {
  if (mustGet(copied, table).sha256 !== found.sha256)
    throw new Error(`The rows of the table ${table} are not the same after they were copied.`)
}

function checkKeys(target: Database.Database): void {
  const [lost] = target.pragma('main.foreign_key_check') as { table: string; parent: string }[]
  if (lost) throw new Error(`A row of the table ${lost.table} has no row of ${lost.parent}.`)
}

/** Returns a function that throws the error of a row which PostgreSQL refuses, with its table. */
const refusedBy =
  ({ table }: Shape) =>
  (error: Error): never => {
    throw new Error(`PostgreSQL refuses rows of the table ${table}: ${error.message}.`)
  }

/** Returns whether a PostgreSQL database has no rows. */
export const isEmpty = (target: Connection, source: Database.Database): Promise<boolean> =>
  postgres.isEmpty(target, shapesOf(source))
