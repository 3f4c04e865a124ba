import { sql } from 'kysely'
import { type Store, sqlRows } from '../../src/store/store.ts'
import type { App } from '../support/app.ts'

/** Tables by which nodes learn what others write, and who answers a request. */
const ofNodes = new Set(['change', 'idempotency_claim', 'watched'])

/** Columns that the server writes once a minute, after requests, by their tables. */
export const uses: Readonly<Record<string, string>> = {
  token: 'last_used_at',
  session: 'last_used_at',
  member: 'last_seen_at',
}

const namesIn = (store: Store, text: string): string[] =>
  store.all(sqlRows<{ name: string }>(sql.raw(text))).map(({ name }) => name)

/** Returns the names of the tables with rows that cannot be derived, or in SQLite of those that can. */
export const listTables = (store: Store, schema: 'main' | 'derived' = 'main'): string[] =>
  store.isShared
    ? namesIn(store, "select tablename as name from pg_tables where schemaname = 'public'").filter(
        name => !ofNodes.has(name),
      )
    : namesIn(
        store,
        `select name from ${schema}.sqlite_schema where type = 'table' and sql not like 'create virtual%'`,
      ).filter(name => !/^sqlite_|^search_(?:title|heading|text)_/.test(name))

/**
 * Adds triggers that note the name of each table with a written row. Returns a function that returns
 * the names since its last call, and at first those of all tables. With `reads`, derived rows of
 * SQLite count too, and uses do not.
 */
export function watchTables({ ctx: { store } }: App, { reads = false } = {}): () => string[] {
  const run = (text: string) => store.run(sqlRows(sql.raw(text)))
  const inSqlite = (schema: string) => (table: string, event: string, when: string) =>
    run(`create temp trigger "watched ${table} ${event}" after ${event} on ${schema}."${table}"
      ${when} begin insert into watched values ('${table}'); end`)
  const inPostgres = (table: string, event: string, when: string) =>
    run(`create trigger "watched ${event}" after ${event} on "${table}" for each row
      ${when} execute function note_write()`)
  const watch = (tables: readonly string[], add: typeof inPostgres) => {
    for (const table of tables) {
      const use = reads && uses[table]
      add(table, 'insert', '')
      add(table, 'delete', '')
      add(table, 'update', use ? `when (new.${use} is not distinct from old.${use})` : '')
    }
    return tables
  }
  const watchAll = () => {
    const tables = listTables(store)
    if (!store.isShared) {
      run('create temp table watched (name text)')
      const derived = reads ? watch(listTables(store, 'derived'), inSqlite('derived')) : []
      return [...watch(tables, inSqlite('main')), ...derived]
    }
    run('create table watched (name text)')
    run(`create function note_write() returns trigger language plpgsql as
      'begin insert into watched values (tg_table_name); return null; end'`)
    return [...watch(tables, inPostgres)]
  }
  const first = watchAll()

  return () => {
    const names = namesIn(store, 'select distinct name from watched').concat(first.splice(0))
    run('delete from watched')
    return names
  }
}
