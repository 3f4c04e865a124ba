import type { Connection } from '../postgres/connection.ts'
import { columnList, inOrder, quoted, type Row, type Shape, type Value } from './shapes.ts'

/** How many rows are fetched at once: fewer where a row may have an image. */
const fetchedRows = 1_000
const fetchedImages = 10

const types = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea' } as const

/** Yields the rows of a table in the order of its key, in portions. Needs an open transaction. */
export async function* readPostgres(connection: Connection, shape: Shape): AsyncGenerator<Row[]> {
  // A number may be larger than a double holds exactly.
  const columns = shape.columns.map(({ name, type }) =>
    type === 'INTEGER' ? `${quoted(name)}::text` : quoted(name),
  )
  const most = shape.columns.some(({ type }) => type === 'BLOB') ? fetchedImages : fetchedRows
  await connection.script(
    `declare moving no scroll cursor for select ${columns.join(', ')} from ${quoted(shape.table)} ${inOrder(shape)}`,
  )
  for (;;) {
    const rows = await connection.rows(`fetch ${most} from moving`)
    if (rows.length > 0) yield rows.map(row => row.map((value, at) => fromText(shape, value, at)))
    if (rows.length < most) break
  }
  await connection.script('close moving')
}

const fromText = ({ columns }: Shape, value: unknown, at: number): Value =>
  value !== null && columns[at]!.type === 'INTEGER' ? BigInt(value as string) : (value as Value)

/** Returns whether no table has a row. */
export async function isEmpty(connection: Connection, shapes: readonly Shape[]): Promise<boolean> {
  const any = shapes.map(({ table }) => `exists (select from ${quoted(table)})`).join(' or ')
  const [row] = await connection.rows(`select ${any}`)
  return row?.[0] === 0
}

/** Inserts rows. */
export async function writePostgres(
  connection: Connection,
  shape: Shape,
  rows: readonly Row[],
): Promise<void> {
  const arrays = shape.columns.map(({ type }, at) => `$${at + 1}::${types[type]}[]`).join(', ')
  await connection.rows(
    `insert into ${quoted(shape.table)} (${columnList(shape)}) select * from unnest(${arrays})`,
    shape.columns.map((_, at) => rows.map(row => row[at])),
  )
}

/** Returns the last number that the engine has given to a row of a table; 0: none. */
export async function lastNumber(connection: Connection, { table }: Shape): Promise<bigint> {
  const [row] = await connection.rows(
    'select pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass)::text',
    [quoted(table), 'seq'],
  )
  return BigInt((row?.[0] as string | null) ?? '0')
}

/** Sets the last number that the engine has given to a row of a table. */
export async function setLastNumber(
  connection: Connection,
  { table }: Shape,
  number: bigint,
): Promise<void> {
  const [value, isUsed] = number > 0n ? [number, true] : [1n, false]
  await connection.rows('select setval(pg_get_serial_sequence($1, $2)::regclass, $3, $4)', [
    quoted(table),
    'seq',
    String(value),
    isUsed,
  ])
}

type Constraint = { table: string; name: string; definition: string }

/** Takes the foreign keys away and stops the triggers. Returns what puts both back. */
export async function withoutKeys(
  connection: Connection,
  shapes: readonly Shape[],
): Promise<() => Promise<void>> {
  const found = await connection.rows(`
    select conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid)
    from pg_constraint
    where contype = 'f' and connamespace = current_schema()::regnamespace
    order by conrelid::regclass::text, conname`)
  const keys = found.map(([table, name, definition]) => ({ table, name, definition }) as Constraint)
  for (const { table, name } of keys)
    await connection.script(`alter table ${table} drop constraint ${name}`)
  const turn = async (how: 'enable' | 'disable') => {
    for (const { table } of shapes)
      await connection.script(`alter table ${quoted(table)} ${how} trigger user`)
  }
  await turn('disable')

  return async () => {
    await turn('enable')
    for (const { table, name, definition } of keys)
      await connection.script(`alter table ${table} add constraint ${name} ${definition}`)
  }
}
