import Database from 'better-sqlite3'
import { columnList, inOrder, quoted, type Row, type Shape } from './shapes.ts'

/** About how many bytes, and at most how many rows, are held at once. */
const portionBytes = 1_000_000
const portionRows = 1_000

/** Opens stemma.db for reading alone. The caller holds the lock of its folder. */
export const openRows = (file: string): Database.Database =>
  new Database(file, { readonly: true, fileMustExist: true })

/** Yields the rows of a table in the order of its key, in portions. */
export function* readSqlite(database: Database.Database, shape: Shape): Generator<Row[]> {
  const rows = database
    .prepare(`select ${columnList(shape)} from ${quoted(shape.table)} ${inOrder(shape)}`)
    .raw()
    .safeIntegers()
    .iterate() as IterableIterator<Row>
  let portion: Row[] = []
  let bytes = 0
  for (const row of rows) {
    portion.push(row)
    bytes += sizeOf(row)
    if (bytes < portionBytes && portion.length < portionRows) continue
    yield portion
    portion = []
    bytes = 0
  }
  if (portion.length > 0) yield portion
}

const sizeOf = (row: Row): number =>
  row.reduce(
    (sum, value) => sum + (value === null || typeof value === 'bigint' ? 8 : value.length),
    0,
  )

/** Returns a function that inserts rows. */
export function sqliteWriter(database: Database.Database, shape: Shape): (rows: Row[]) => void {
  const places = shape.columns.map(() => '?').join(', ')
  const insert = database.prepare(
    `insert into ${quoted(shape.table)} (${columnList(shape)}) values (${places})`,
  )
  return rows => {
    for (const row of rows) insert.run(...row)
  }
}

/** Returns the triggers of a database. */
export const triggersOf = (database: Database.Database): { name: string; sql: string }[] =>
  database
    .prepare("select name, sql from main.sqlite_schema where type = 'trigger' order by rowid")
    .all() as { name: string; sql: string }[]

/** Returns the last number that the engine has given to a row of a table; 0: none. */
export const lastNumber = (database: Database.Database, { table }: Shape): bigint =>
  (database
    .prepare('select seq from main.sqlite_sequence where name = ?')
    .pluck()
    .safeIntegers()
    .get(table) as bigint | undefined) ?? 0n

/** Sets the last number that the engine has given to a row of a table. */
export function setLastNumber(database: Database.Database, { table }: Shape, number: bigint): void {
  database.prepare('delete from main.sqlite_sequence where name = ?').run(table)
  if (number > 0n)
    database
      .prepare('insert into main.sqlite_sequence (name, seq) values (?, ?)')
      .run(table, number)
}
