import Database from 'better-sqlite3'
import * as assert from 'uvu/assert'
import { migrations } from '../../src/store/engine/postgres/driver.ts'
import { alsoWritten, deletedAlone } from '../../src/store/engine/postgres/foresight.ts'
import { migrate } from '../../src/store/engine/sqlite/migrate.ts'
import { Store } from '../../src/store/store.ts'
import { tables as declared, tableOf } from '../../src/store/tables/tables.ts'
import { type Bench, openBench } from './bench.ts'
import { postgresSuite } from './suite.ts'

let bench: Bench
const sqlite = new Database(':memory:')
const test = postgresSuite(
  'the schema of PostgreSQL',
  async () => {
    bench = await openBench()
    bench.node()
    migrate(sqlite)
  },
  () => {
    bench?.stop()
    sqlite.close()
  },
)

/** Tables that PostgreSQL alone has. */
const own = [
  'change',
  'guess',
  'idempotency_claim',
  'stemma_schema',
  ...Object.keys(declared).filter(name => tableOf(name)?.engine === 'postgres'),
]
const quoted = own.map(name => `'${name}'::regclass`).join(', ')
const rowsOf = async (sql: string): Promise<Record<string, unknown>[]> =>
  await bench.cluster.query(sql, new URL(bench.url).pathname.slice(1))
const linesOf = (rows: unknown[]): string[] => rows.map(row => JSON.stringify(row)).sort()
const tables = (): string[] =>
  sqlite
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all() as string[]

/** A type of SQLite as PostgreSQL names it. */
const types: Readonly<Record<string, string>> = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea' }

test('both engines have the same tables and columns', async () => {
  const expected = tables().flatMap(table =>
    (sqlite.pragma(`table_xinfo(${table})`) as Record<string, unknown>[]).map(column => [
      table,
      column.name,
      types[column.type as string],
      // The key of a row is never null.
      column.notnull === 0 && column.pk === 0,
      column.dflt_value !== null,
    ]),
  )
  const found = await rowsOf(`
    select table_name as t, column_name as c, data_type as d, is_nullable = 'YES' as n,
      column_default is not null as v
    from information_schema.columns where table_schema = 'public'`)
  const ours = found.filter(({ t }) => !own.includes(t as string))
  assert.equal(linesOf(ours.map(({ t, c, d, n, v }) => [t, c, d, n, v])), linesOf(expected))
})

test('both engines have the same foreign keys, with the same actions', async () => {
  type Key = { from: string; table: string; to: string; on_delete: string }
  const expected = tables().flatMap(table =>
    (sqlite.pragma(`foreign_key_list(${table})`) as Key[]).map(key => [
      table,
      key.from,
      key.table,
      key.to,
      key.on_delete,
    ]),
  )
  const found = await rowsOf(`
    select c.conrelid::regclass::text as t, a.attname as f, c.confrelid::regclass::text as r,
      b.attname as k, case c.confdeltype when 'c' then 'CASCADE' when 'n' then 'SET NULL'
        else 'NO ACTION' end as d
    from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    join pg_attribute b on b.attrelid = c.confrelid and b.attnum = c.confkey[1]
    where c.contype = 'f'`)
  const plain = (name: unknown) => String(name).replaceAll('"', '')
  const ours = found.filter(({ t }) => !own.includes(t as string))
  assert.equal(
    linesOf(ours.map(({ t, f, r, k, d }) => [plain(t), f, plain(r), k, d])),
    linesOf(expected),
  )
})

/** Returns a unique key without its name: those of constraints differ. */
const keyOf = (table: string, columns: unknown[]): string =>
  `${table} (${columns.map(column => column ?? 'expression').join(', ')})`

test('both engines have the same primary keys and unique columns', async () => {
  type Index = { name: string; unique: number; origin: string; partial: number }
  const expected = tables().flatMap(table =>
    (sqlite.pragma(`index_list(${table})`) as Index[])
      .filter(({ unique, origin }) => unique === 1 && origin !== 'c')
      .map(({ name }) =>
        keyOf(
          table,
          (sqlite.pragma(`index_info(${name})`) as { name: string }[]).map(each => each.name),
        ),
      ),
  )
  const sequences = tables().filter(table =>
    (sqlite.pragma(`table_info(${table})`) as { name: string; pk: number }[]).some(
      ({ name, pk }) => name === 'seq' && pk === 1,
    ),
  )
  const found = await rowsOf(`
    select c.conrelid::regclass::text as t, array(
      select attname::text from unnest(c.conkey) with ordinality as k (number, place)
      join pg_attribute on attrelid = c.conrelid and attnum = number order by place) as k
    from pg_constraint c
    where contype in ('p', 'u') and connamespace = 'public'::regnamespace
    and c.conrelid not in (${quoted})`)
  // NOCASE is an index on an expression.
  const inIndexes = ['user (confirmed_email)']
  assert.equal(
    found.map(({ t, k }) => keyOf(String(t).replaceAll('"', ''), k as unknown[])).sort(),
    [...expected, ...sequences.map(table => keyOf(table, ['seq']))]
      .filter(key => !inIndexes.includes(key))
      .sort(),
  )
})

test('both engines have the same indexes and triggers', async () => {
  const named = (type: string) =>
    sqlite
      .prepare(`select name from sqlite_schema where type = '${type}' and sql is not null`)
      .pluck()
      .all() as string[]
  const indexes = await rowsOf(`
    select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
    join pg_class t on t.oid = x.indrelid
    where t.relnamespace = 'public'::regnamespace and t.oid not in (${quoted})
    and not exists (select 1 from pg_constraint where conindid = x.indexrelid)`)
  const triggers = await rowsOf('select tgname as name from pg_trigger where not tgisinternal')
  const namesOf = (rows: Record<string, unknown>[]) => rows.map(({ name }) => String(name)).sort()
  assert.equal(namesOf(indexes), [...named('index'), 'user_by_confirmed_email'].sort())
  // SQLite has one writer.
  assert.equal(namesOf(triggers), [...named('trigger'), 'job_ordered'].sort())
})

test('what triggers write besides is known', async () => {
  const rows = await rowsOf(`
    select distinct tgrelid::regclass::text as name from pg_trigger
    where not tgisinternal and (tgtype & 4 > 0 or tgtype & 16 > 0)`)
  const found = rows.map(({ name }) => String(name)).sort()
  // These triggers refuse, or set a column of the row itself.
  const own = ['audit_event', 'job']
  assert.equal(
    found.filter(name => !own.includes(name)),
    Object.keys(alsoWritten),
  )
})

test('a deletion deletes no other rows where it is said so', async () => {
  const rows = await rowsOf(`
    select confrelid::regclass::text as name from pg_constraint where contype = 'f'
    union select tgrelid::regclass::text from pg_trigger where not tgisinternal and tgtype & 8 > 0`)
  const found = rows.map(({ name }) => String(name))
  assert.ok(found.includes('space'))
  assert.equal(
    deletedAlone.filter(name => found.includes(name)),
    [],
  )
})

test('each migration has a number of its own', () => {
  const numbers = migrations().map(({ version }) => version)
  assert.equal([...new Set(numbers)], numbers)
})

test('a newer schema is refused', async () => {
  const url = await bench.cluster.create()
  const name = new URL(url).pathname.slice(1)
  await bench.cluster.query(
    'create table stemma_schema (version int); insert into stemma_schema values (9999)',
    name,
  )
  assert.throws(() => opened(url), /has schema 9999, this program knows up to \d+\. Run the newer/)
})

test('a database of another program, and one with another locale, are refused', async () => {
  const foreign = await bench.cluster.create()
  await bench.cluster.query('create table theirs (a int)', new URL(foreign).pathname.slice(1))
  assert.throws(() => opened(foreign), /tables of another program/)
  const other = await bench.cluster.create("encoding 'LATIN1' template template0")
  assert.throws(
    () => opened(other),
    /encoding UTF8 and the locale C.*createdb --template=template0/,
  )
})

test('an address that does not work is refused, without its password', () => {
  const url = 'postgres://ada:hidden@127.0.0.1:9/none'
  try {
    opened(url)
    assert.unreachable()
  } catch (error) {
    assert.match(String(error), /PostgreSQL at 127\.0\.0\.1:9 cannot be used/)
    assert.not.match(String((error as Error).stack), /hidden/)
  }
})

const opened = (url: string): void =>
  new Store(':memory:', { alone: true, postgres: { url } }).close()

test.run()
