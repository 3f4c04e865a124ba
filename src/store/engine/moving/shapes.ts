import type { Database } from 'better-sqlite3'

/** A value of a column as both engines have it. */
export type Value = bigint | string | Buffer | null
export type Row = readonly Value[]

type Type = 'INTEGER' | 'TEXT' | 'BLOB'

/** What a table looks like: the columns that are written, in order, and the columns of its key. */
export type Shape = {
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly type: Type }[]
  readonly key: readonly string[]
  /** Whether its key is numbered by the engine. */
  readonly isNumbered: boolean
}

/** The table of refs: in PostgreSQL it has all refs, in SQLite those that the program has moved. */
const refTable = 'ref'

type ColumnInfo = { name: string; type: Type; pk: number; hidden: number }

/** Returns the shapes of all tables of stemma.db but that of refs, by name. */
export const shapesOf = (database: Database): Shape[] =>
  (
    database
      .prepare(
        "select name from main.sqlite_schema where type = 'table' and name not like 'sqlite%' order by name",
      )
      .pluck()
      .all() as string[]
  )
    .filter(table => table !== refTable)
    .map(table => shapeOf(database, table))

/** Returns the shape of the table of refs. */
export const shapeOfRefs = (database: Database): Shape => shapeOf(database, refTable)

/** Returns the shape of a table. Columns that are computed are left out. */
function shapeOf(database: Database, table: string): Shape {
  const columns = database.pragma(`table_xinfo(${quoted(table)})`) as ColumnInfo[]
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
  return {
    table,
    columns: columns.filter(({ hidden }) => hidden === 0).map(({ name, type }) => ({ name, type })),
    key: key.map(({ name }) => name),
    isNumbered: key.length === 1 && key[0]!.name === 'seq',
  }
}

/** Returns a name as an identifier in SQL. */
export const quoted = (name: string): string => `"${name}"`

/** Returns the columns of a shape as a list in SQL. */
export const columnList = ({ columns }: Shape): string =>
  columns.map(({ name }) => quoted(name)).join(', ')

/**
 * Returns the end of a statement that lists rows in the order of the key, which does not depend on
 * how the statement shows its columns.
 */
export const inOrder = ({ table, key }: Shape): string =>
  `order by ${key.map(name => `${quoted(table)}.${quoted(name)}`).join(', ')}`

/** Returns the key of a row for an error, such as `id "a"`. */
export const keyOf = (shape: Shape, row: Row): string =>
  shape.key
    .map(name => {
      const value = row[shape.columns.findIndex(column => column.name === name)]
      return `${name} ${typeof value === 'bigint' ? value : JSON.stringify(String(value))}`
    })
    .join(', ')
